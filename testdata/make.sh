#!/usr/bin/env bash
# Makes the dumps of the program in program/ again, with every Go command given:
#
#   ./make.sh go1.21.13 go1.23.9 go1.25.5 go1.26.6 go1.27.3
#
# Such commands come from `go install golang.org/dl/go1.21.13@latest && go1.21.13 download`.
# The last one also makes the bundle, which takes seven minutes, because Go tells waits in minutes.
# Ids, addresses and the order of goroutines differ from run to run, so the expectations
# (count.py writes them) change with the dumps.
set -euo pipefail
cd "$(dirname "$0")"
data=$PWD
work=${WORK:-/home/dev/shop}
export GOFLAGS=-trimpath GOTOOLCHAIN=local CGO_ENABLED=0
unset GODEBUG GOTRACEBACK
mkdir -p "$work" traceback count pprof values log
cp -r program/. "$work"
cd "$work"

# No path or name of this machine may be in what is committed.
log() { sed -E 's/^(ok|FAIL)(\s+\S+\s+)[0-9.]+s$/\1\20.100s/'; }

for go in "$@"; do
  version=$("$go" env GOVERSION)
  "$go" build -o shop .
  out=$(mktemp -d)
  # Labels in tracebacks: not known up to Go 1.25, off by default in 1.26, and in 1.27 for a go.mod
  # that says go 1.21.
  GODEBUG=tracebacklabels=1 ./shop -dir "$out"
  cp "$out/goroutine.debug2.txt" "$data/traceback/$version.debug2.txt"
  cp "$out/goroutine.debug1.txt" "$data/count/$version.debug1.txt"
  cp "$out/goroutine.debug0.pb.gz" "$data/pprof/$version.debug0.pb.gz"
  if [ -e "$out/goroutineleak.debug1.txt" ]; then
    cp "$out/goroutineleak.debug2.txt" "$data/traceback/$version.leak.debug2.txt"
    cp "$out/goroutineleak.debug1.txt" "$data/count/$version.leak.debug1.txt"
    cp "$out/goroutineleak.debug0.pb.gz" "$data/pprof/$version.leak.debug0.pb.gz"
  fi
  small=(-shoppers 1 -workers 2 -buyers 2 -leaks 1 -depth 2)
  for end in panic repanic nilpointer mapwrites deadlock sigquit; do
    busy=() preempt=0
    [[ $end = sigquit || $end = repanic ]] && busy=(-busy)
    # What can't be interrupted has no stack: "goroutine running on other thread".
    [[ $end = repanic ]] && preempt=1
    GODEBUG=asyncpreemptoff=$preempt GOTRACEBACK=all ./shop "${small[@]}" "${busy[@]}" -end $end \
      2>"$data/traceback/$version.$end.txt" || true
  done
  GOTRACEBACK=crash ./shop "${small[@]}" -busy -end sigquit 2>"$data/traceback/$version.crash.txt" || true
  GODEBUG=tracebackancestors=3 ./shop "${small[@]}" -dir "$out"
  cp "$out/goroutine.debug2.txt" "$data/traceback/$version.ancestors.txt"
  "$go" build -o measure ./profiles
  ./measure -dir "$out"
  for profile in cpu heap block mutex threadcreate carts; do
    for form in debug0.pb.gz debug1.txt; do
      [ -e "$out/$profile.$form" ] && cp "$out/$profile.$form" "$data/values/$version.$profile.$form"
    done
  done
  rm -r "$out"
  "$go" test -count=1 -timeout 1s -run TestImport ./queue 2>&1 | log >"$data/log/$version.timeout.txt" || true
  "$go" test -count=1 -run TestStacks ./queue 2>&1 | log >"$data/log/$version.indented.txt" || true
  # Bubbles need the timers of Go 1.23, which a go.mod that says go 1.21 turns off.
  GODEBUG=asynctimerchan=0 "$go" test -count=1 -run TestBubble ./queue 2>&1 | log >"$data/log/$version.bubble.txt" || true
  grep -q goroutine "$data/log/$version.bubble.txt" || rm "$data/log/$version.bubble.txt"
  "$go" test -count=1 -timeout 1s -run TestImport -json ./queue 2>&1 |
    sed -E 's/"Time":"[^"]*"/"Time":"2026-01-02T10:31:41.123456789Z"/; s/"Elapsed":[0-9.]+/"Elapsed":1.1/' \
      >"$data/log/$version.timeout.jsonl" || true
done

cd "$data"
python3 wrap.py "traceback/$version.panic.txt" log

if [ -z "${SKIP_BUNDLE:-}" ]; then
  nodes=$(mktemp -d)
  mkdir -p "$nodes"/{1,2,3}
  export GODEBUG=tracebacklabels=1
  (cd "$work" && exec ./shop -dir "$nodes/1" -shoppers 60 -workers 90 -buyers 24 -leaks 12 -age 430s) &
  (cd "$work" && exec ./shop -dir "$nodes/2" -shoppers 30 -workers 60 -buyers 9 -leaks 4 -age 250s) &
  (cd "$work" && exec ./shop -dir "$nodes/3" -shoppers 12 -workers 40 -buyers 40 -leaks 30 -age 130s) &
  wait
  python3 bundle.py "$nodes" bundle.zip
  rm -r "$nodes"
fi
python3 count.py
python3 values.py "$go"
