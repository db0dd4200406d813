#!/bin/sh
# One node, from cron: the goroutines of a server become tables in object storage.
#   7 * * * * root SERVER=localhost:6060 BUCKET=s3://dumps/fleet /usr/local/bin/cron.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node=$(hostname)
part=date=$(date -u +%F)/node=$node
# The text is read as it comes and stored nowhere.
curl -sS --fail "http://${SERVER:-localhost:6060}/debug/pprof/goroutine?debug=2" |
  stackgazer export - -o parquet "--input-name=-=$node" --to "$folder/$part"
aws s3 cp --recursive --only-show-errors "$folder" "${BUCKET:?names where tables go}"
