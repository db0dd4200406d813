#!/usr/bin/env bash
# Makes the dumps of stories/ again, with every Go command given:
#
#   ./stories.sh go1.21.13 go1.24.11 go1.27.3
#
# One archive holds a folder for each version: a dump of each story, and one of the pile that has
# lasted for three minutes.
set -euo pipefail
cd "$(dirname "$0")"
data=$PWD
export GOFLAGS=-trimpath GOTOOLCHAIN=local CGO_ENABLED=0
unset GODEBUG GOTRACEBACK
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

for go in "$@"; do
  out=$work/dumps/$("$go" env GOVERSION)
  mkdir -p "$out"/lasting
  (cd stories && "$go" build -o "$work/stories" .)
  for story in stranded pile deadlock healthy; do
    "$work/stories" -story $story -dir "$out"
  done
  "$work/stories" -story pile -last 190s -dir "$out/lasting"
done
python3 - "$work/dumps" "$data/stories.zip" <<'END'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (2026, 1, 2, 10, 31, 40))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        archive.writestr(info, path.read_bytes())
END
