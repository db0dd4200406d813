#!/usr/bin/env bash
# Makes the dumps of the program here again, with every Go command given:
#
#   ./make.sh go1.21.13 go1.24.11 go1.27.3
#
# Each version gives one archive: a dump for each way in which goroutines wait for each other, and
# twenty of the healthy twin. Those of `pile` have waited for two minutes.
set -euo pipefail
cd "$(dirname "$0")"
data=$PWD
export GOFLAGS=-trimpath GOTOOLCHAIN=local CGO_ENABLED=0
unset GODEBUG GOTRACEBACK
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

for go in "$@"; do
  version=$("$go" env GOVERSION)
  (cd program && "$go" build -o "$work/program" .)
  out=$work/$version
  mkdir -p "$out"
  "$work/program" -way pile -age 125s -to "$out/pile.txt" &
  for way in cross transfer chain reader relock group cond drain; do
    "$work/program" -way $way -to "$out/$way.txt"
  done
  # Only with frames of the runtime Go tells the addresses of channels.
  GOTRACEBACK=system "$work/program" -way feed -to /dev/null -quit 2>"$out/feed.txt" || true
  "$work/program" -way healthy -dumps 20 -to "$out/healthy.txt"
  wait
  ../pack.py "$out" "$data/$version.zip"
done
