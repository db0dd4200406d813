#!/usr/bin/env bash
# Whether the queries answer what stackgazer answers (test.py), in the engines that are there, and whether the
# manifests of examples/ are some. With STACKGAZER_QUERIES=required only ClickHouse may be missing:
#
#   pip install duckdb pyspark chdb kubernetes-validate; STACKGAZER_PYTHON=python3 queries/test.sh
set -euo pipefail
cd "$(dirname "$0")/.."

python=${STACKGAZER_PYTHON:-python3}

# MODULE COMMAND...: runs it if Python has the module.
with() {
  if "$python" -c "import $1" 2>/dev/null; then
    "$python" "${@:2}"
  elif [ "${STACKGAZER_QUERIES:-}" = required ]; then
    echo "$python has no module $1" >&2
    return 1
  else
    echo "skipped: $python has no module $1 (pip install $1)" >&2
  fi
}

cargo build --quiet --locked
with duckdb queries/test.py
if ! command -v java >/dev/null || ! "$python" -c 'import pyspark' 2>/dev/null; then
  if [ "${STACKGAZER_QUERIES:-}" = required ]; then
    echo "$python has no module pyspark, or there is no Java" >&2
    exit 1
  fi
  echo "skipped: there is no Spark (pip install pyspark) or no Java for it" >&2
else
  mkdir -p target
  "$python" queries/test.py --spark 2>target/spark.log || {
    tail -n 20 target/spark.log >&2
    exit 1
  }
  grep '^skipped' target/spark.log >&2 || true
fi
if ! "$python" -c 'import chdb' 2>/dev/null; then
  echo "skipped: there is no ClickHouse (pip install chdb)" >&2
else
  "$python" queries/test.py --clickhouse
fi
for manifest in examples/fleet/*.yaml; do
  with kubernetes_validate -m kubernetes_validate "$manifest"
done
