#!/usr/bin/env bash
# Tests of the page: lints, types, whether page.html is what the sources build to, unit tests, and
# tests in Chromium on real dumps. They need Node and Chromium; where one is missing they are
# skipped, visibly; with STACKGAZER_PAGE=required that fails.
set -euo pipefail
cd "$(dirname "$0")"

skip() {
  printf '\nSKIPPED: the tests of the page need %s\n' "$1" >&2
  [ "${STACKGAZER_PAGE:-}" != required ]
  exit
}

command -v node >/dev/null && command -v npm >/dev/null || skip "Node 20.19 or newer"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  skip "Node 20.19 or newer, not $(node --version)"
for browser in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser; do
  [ -x "$browser" ] && break
done
[ -x "$browser" ] || skip "Chromium (CHROMIUM names it where it isn't in /usr/bin)"

if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --no-audit --no-fund
fi
npm run lint
committed=$(mktemp)
cp page.html "$committed"
npm run build
if ! cmp page.html "$committed"; then
  echo "page.html isn't what its sources build to; it is now: commit it" >&2
  exit 1
fi
limit=$((150 * 1024))
size=$(gzip -9c page.html | wc -c)
if [ "$size" -gt "$limit" ]; then
  echo "page.html has $size bytes gzipped, more than $limit" >&2
  exit 1
fi
npm test
