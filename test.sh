#!/usr/bin/env bash
# All that must hold: format, lints, tests, documentation. Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*" >&2; "$@"; }

step cargo fmt --all --check
step cargo clippy --locked --all-targets -- -D warnings
step cargo test --locked "$@"
RUSTDOCFLAGS='-D warnings' step cargo doc --locked --no-deps --document-private-items
