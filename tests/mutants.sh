#!/usr/bin/env bash
# Looks for code that no test holds: cargo-mutants changes one thing at a time, and what no test notices
# survives. It takes hours, so it isn't part of test.sh. Of each folder a share is enough at a time:
#
#     cargo install --locked cargo-mutants
#     tests/mutants.sh                          # all folders that are worth it
#     SHARD=3/20 tests/mutants.sh src/filter    # the fourth twentieth of one folder
#
# Survivors stand in mutants.out/missed.txt. Each gets a test that fails with the change made, or is
# found to change nothing that anybody could see.
set -euo pipefail
cd "$(dirname "$0")/.."

folders=("$@")
((${#folders[@]})) || folders=(src/filter src/view src/leak src/format src/load)
files=()
for folder in "${folders[@]}"; do
  files+=(--file "$folder/**/*.rs" --file "$folder.rs")
done
# The same drawn cases for each mutant, or chance would decide.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}"
exec nice cargo mutants "${files[@]}" ${SHARD:+--shard "$SHARD"} --jobs "${JOBS:-1}" -- --locked --lib --test integration
