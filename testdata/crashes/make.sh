#!/usr/bin/env bash
# Makes the texts that the program in program/ leaves behind when it dies, with every Go command given:
#
#   ./make.sh go1.21.13 go1.23.9 go1.27.3
#
# cgo.txt needs a C compiler; command.txt is what Go's own compiler leaves behind.
set -euo pipefail
cd "$(dirname "$0")"
data=$PWD
work=${WORK:-/home/dev/crashes}
export GOTOOLCHAIN=local GOTRACEBACK=all
unset GODEBUG GOFLAGS
rm -rf "$work" && mkdir -p "$work"
cp -r program/. "$work"
cd "$work"
ways="outofmemory stackoverflow deferred recovered thrice goexit lategoexit asleep mapwrites waitgroup
callback nilfunc error value unlock"

for go in "$@"; do
  version=$("$go" env GOVERSION)
  CGO_ENABLED=0 "$go" build -trimpath -o crashes .
  for way in $ways; do
    limit=unlimited
    [[ $way = outofmemory ]] && limit=1000000
    (ulimit -v $limit && exec ./crashes $way) 2>"$data/$version.$way.txt" && exit 1
  done
  CGO_ENABLED=1 "$go" build -trimpath -o native-crashes ./native
  ./native-crashes 2>"$data/$version.cgo.txt" && exit 1
  # A compiler that is told to stop at the first error does so by a panic, and removes its output.
  printf 'package bad\nvar x int = "x"\n' >"$work/bad.txt"
  "$go" tool compile -h -o "$work/bad.o" bad.txt 2>command.txt && exit 1
  root=$("$go" env GOROOT)
  sed "s:$root:/usr/local/go:g" command.txt >"$data/$version.command.txt"
done
