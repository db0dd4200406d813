#!/usr/bin/env bash
# Makes the dumps of the programs here again, with every Go command given:
#
#   ./make.sh go1.24.11 go1.25.5 go1.26.6 go1.27.3
#   ./make.sh matrix go1.21.13 go1.22.12 go1.23.9 go1.24.11 go1.25.5 go1.26.6 go1.27.3
#   ./make.sh stories go1.21.13 go1.24.11 go1.27.3
#
# Each version gives one archive: a folder for each mistake that program/ can make, one for its
# healthy twin (healthy/), and one for the server under load (server/). With `matrix` it is
# matrix/VERSION.zip, of the program in matrix/, which makes every mistake in one process: in the
# tests (test/) and in a running server (server/), and none in their twins (healthy-test/,
# healthy-server/). With `stories` it is stories.zip with a folder for each version: a dump of each
# story that stories/ tells, and one of the pile that has lasted for three minutes.
set -euo pipefail
cd "$(dirname "$0")"
data=$PWD
export GOFLAGS=-trimpath GOTOOLCHAIN=local CGO_ENABLED=0
unset GODEBUG GOTRACEBACK
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

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
    ../pack.py "$out" "$data/matrix/$version.zip"
  done
  exit
fi

if [ "${1:-}" = stories ]; then
  shift
  for go in "$@"; do
    out=$work/dumps/$("$go" env GOVERSION)
    mkdir -p "$out"/lasting
    (cd stories && "$go" build -o "$work/stories" .)
    for story in stranded pile deadlock healthy; do
      "$work/stories" -story $story -dir "$out"
    done
    "$work/stories" -story pile -last 190s -dir "$out/lasting"
  done
  ../pack.py "$work/dumps" "$data/stories.zip"
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
  ../pack.py "$out" "$data/$version.zip"
done
