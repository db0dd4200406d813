#!/usr/bin/env bash
# Runs all tests: units, the program from outside, examples in the documentation.
set -euo pipefail
cd "$(dirname "$0")"
exec cargo test --locked "$@"
