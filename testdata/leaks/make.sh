#!/usr/bin/env bash
# Makes the dumps of the programs here again, with every Go command given:
#
#   ./make.sh go1.24.11 go1.25.5 go1.26.6 go1.27.3
#   ./make.sh matrix go1.21.13 go1.22.12 go1.23.9 go1.24.11 go1.25.5 go1.26.6 go1.27.3
#
# Each version gives one archive: a folder for each mistake that program/ can make, one for its
# healthy twin (healthy/), and one for the server under load (server/). With `matrix` it is
# matrix/VERSION.zip, of the program in matrix/, which makes every mistake in one process: in the
# tests (test/) and in a running server (server/), and none in their twins (healthy-test/,
# healthy-server/).
set -euo pipefail
cd "$(dirname "$0")"
data=$PWD
export GOFLAGS=-trimpath GOTOOLCHAIN=local CGO_ENABLED=0
unset GODEBUG GOTRACEBACK
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

pack() { # FOLDER ARCHIVE
  python3 - "$1" "$2" <<'END'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (2026, 1, 2, 10, 31, 40))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        archive.writestr(info, path.read_bytes())
END
}

if [ "${1:-}" = matrix ]; then
  shift
  for go in "$@"; do
    version=$("$go" env GOVERSION)
    (cd matrix && "$go" build -o "$work/server" . && "$go" test -c -o "$work/test" .)
    out=$work/$version
    mkdir -p "$out"/{,healthy-}{test,server}
    (cd matrix && DUMPS=$out/test BROKEN=1 "$work/test" && DUMPS=$out/healthy-test "$work/test")
    "$work/server" -dir "$out/server" -broken
    "$work/server" -dir "$out/healthy-server"
    pack "$out" "$data/matrix/$version.zip"
  done
  exit
fi

for go in "$@"; do
  version=$("$go" env GOVERSION)
  for program in program server; do
    (cd $program && "$go" build -o "$work/$program" .)
  done
  out=$work/$version
  mkdir -p "$out"/{healthy,server}
  "$work/program" -dir "$out/healthy"
  for mistake in $(sed -n '/^func mistakes/,/^}/s/^\t\t"\(.*\)".*/\1/p' program/mistakes.go); do
    mkdir "$out/$mistake"
    "$work/program" -leak "$mistake" -dir "$out/$mistake"
  done
  "$work/server" -dir "$out/server"
  pack "$out" "$data/$version.zip"
done
