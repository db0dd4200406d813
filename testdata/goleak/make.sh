#!/usr/bin/env bash
# Makes the lists again, with every Go command given: ./make.sh go1.21.13 go1.27.3
set -euo pipefail
cd "$(dirname "$0")"
data=$PWD
work=$(mktemp -d)
cp -r program/. "$work"
cd "$work"
export GOFLAGS=-trimpath GOTOOLCHAIN=local CGO_ENABLED=0 GODEBUG=tracebacklabels=1
tidy() {
  sed -E 's/^(ok|FAIL)(\s+\S+\s+)[0-9.]+s$/\1\20.100s/; s/\([0-9.]+s\)/(0.20s)/
    s/"Time":"[^"]*"/"Time":"2026-01-02T10:31:41.123456789Z"/; s/"Elapsed":[0-9.]+/"Elapsed":0.2/'
}
for go in "$@"; do
  version=$("$go" env GOVERSION)
  "$go" test -count=1 -run TestOld . 2>&1 | tidy >"$data/$version.old.txt" || true
  "$go" test -count=1 -run TestNew . 2>&1 | tidy >"$data/$version.new.txt" || true
  "$go" test -count=1 -run TestNew -json . 2>&1 | tidy >"$data/$version.new.jsonl" || true
  MAIN=old "$go" test -count=1 -run TestQuiet . 2>&1 | tidy >"$data/$version.main-old.txt" || true
  MAIN=new "$go" test -count=1 -run TestQuiet . 2>&1 | tidy >"$data/$version.main-new.txt" || true
done
rm -rf "$work"
