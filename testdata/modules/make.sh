#!/bin/sh
# Makes goroutine.txt again: GO=go testdata/modules/make.sh
# The module that the program needs is fetched from a folder, as from a proxy, and stands in the dump as one of
# the module cache does with -trimpath.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
versions=$work/proxy/github.com/acme/dep/v2/@v
mkdir -p "$versions"
echo v2.3.1 > "$versions/list"
echo '{"Version": "v2.3.1", "Time": "2024-01-01T00:00:00Z"}' > "$versions/v2.3.1.info"
cp "$here/program/dep/go.mod" "$versions/v2.3.1.mod"
python3 - "$here/program/dep" "$versions/v2.3.1.zip" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[2], "w") as out:
    for name in ("go.mod", "pool/pool.go"):
        out.write(f"{sys.argv[1]}/{name}", f"github.com/acme/dep/v2@v2.3.1/{name}")
END
cp -r "$here/program/shop" "$work/shop"
cd "$work/shop"
export GOPROXY="file://$work/proxy" GOSUMDB=off GOFLAGS=-mod=mod GOMODCACHE="$work/modules" GOTOOLCHAIN=local
"${GO:-go}" build -trimpath -o "$work/program" ./cmd/shop
"$work/program" > "$here/goroutine.txt"
chmod -R u+w "$work"
rm -r "$work"
