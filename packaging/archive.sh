#!/usr/bin/env bash
# Packs the program that was built for a target: target/dist-archives/stackgazer-VERSION-TARGET.tar.gz,
# a zip for Windows. The same files give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$1
built=${2:-${CARGO_TARGET_DIR:-target}/$target/dist}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
name=stackgazer-$version-$target
out=${CARGO_TARGET_DIR:-target}/dist-archives
rm -rf "${out:?}/$name"
mkdir -p "$out/$name"

case $target in *windows*) program=stackgazer.exe ;; *) program=stackgazer ;; esac
cp "$built/$program" "$out/$name/"
# Line tables are most of it: of the static Linux program 67 of 83 MB.
case $target in *windows*) ;; *) strip -S "$out/$name/$program" ;; esac
cp -R LICENSE README.md CHANGELOG.md man completions schemas "$out/$name/"
case $target in
  *windows*) (cd "$out" && 7z a -bso0 "$name.zip" "$name") ;;
  *-linux-*)
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$out" -c "$name" | gzip -n9 > "$out/$name.tar.gz" ;;
  *) tar -C "$out" -czf "$out/$name.tar.gz" "$name" ;;
esac
rm -r "${out:?}/$name"
echo "$out/$name"
