#!/usr/bin/env bash
# All that must hold: format, lints, tests, the page, documentation. Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")"

# The same drawn cases each time, so that a run tells of the change and not of chance. Another seed
# looks further: PROPTEST_RNG_SEED=$RANDOM ./test.sh
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}"

step() { printf '\n== %s\n' "$*" >&2; "$@"; }

step cargo fmt --all --check
step cargo clippy --locked --all-targets -- -D warnings
step cargo test --locked "$@"
# The page of -o html, tested with the program that was just built, beside all that follows: its tests wait
# for a browser much of the time.
mkdir -p target
page/test.sh >target/page.log 2>&1 &
page=$!
trap 'kill "$page" 2>/dev/null || true' EXIT
# Queries over tables, where an engine is there.
step queries/test.sh
# Live processes, where there is a Go toolchain (tests/go/README.md).
if [ -n "${STACKGAZER_GO:-}" ] && [ "$(uname)" = Linux ]; then
  step tests/go/live.py --builds plain,stripped --modes lite,full,none
  step tests/go/annotate.py
  step tests/go/waits.py --builds plain,stripped --modes lite,full,none
else
  printf '\n== tests/go/live.py is skipped: STACKGAZER_GO names no Go toolchain\n' >&2
fi
# Those that need dumps or programs from elsewhere are ignored by name.
if [ -n "${STACKGAZER_CORPUS:-}" ]; then
  of_pprof=()
  if [ -z "${STACKGAZER_PPROF:-}" ]; then
    for name in graphs_are_those_of_pprof that_pprof_shows comes_out_as_it_went_in that_pprof_reads; do
      of_pprof+=(--skip "$name")
    done
  fi
  step cargo test --locked -- --ignored "${of_pprof[@]}"
fi
# Fuzz targets are run by hand (fuzz/Cargo.toml), but must build.
step cargo check --quiet --manifest-path fuzz/Cargo.toml --no-default-features --features parquet --target-dir target
RUSTDOCFLAGS='-D warnings' step cargo doc --locked --no-deps --document-private-items
printf '\n== page/test.sh\n' >&2
wait "$page" || {
  cat target/page.log >&2
  exit 1
}
cat target/page.log >&2
