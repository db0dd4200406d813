#!/usr/bin/env bash
# Makes before.txt and after.txt again: testdata/terminal/make.sh GO
set -euo pipefail
cd "$(dirname "$0")/program"
"$1" run -trimpath . ..
