#!/bin/sh
# Makes small.elf: a program with symbols and lines, of 2 KB.
set -eu
cd "$(dirname "$0")"
gcc -g -O1 -fno-inline -fdebug-prefix-map="$PWD=." -nostdlib -static -Wl,--build-id -Wl,-z,noseparate-code \
    -o small.elf small.c
