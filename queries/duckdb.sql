-- The tables of a fleet as views: fleet/date=.../node=.../*.parquet
--
--   duckdb -init queries/duckdb.sql -f queries/top.sql
--
-- Other places: replace 'fleet' (s3://bucket/fleet works, too). What the partitions are called is up to you; the
-- queries use date and node.
CREATE OR REPLACE VIEW inputs AS SELECT * FROM read_parquet('fleet/*/*/inputs.parquet', hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW groups AS SELECT * FROM read_parquet('fleet/*/*/groups.parquet', hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW goroutines AS SELECT * FROM read_parquet('fleet/*/*/goroutines.parquet', hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW "values" AS SELECT * FROM read_parquet('fleet/*/*/values.parquet', hive_partitioning = true, hive_types_autocast = false);
-- A stack is the same on every node.
CREATE OR REPLACE VIEW stacks AS
SELECT stack, min(shape) AS shape, min(category) AS category, min(name) AS name
FROM read_parquet('fleet/*/*/stacks.parquet', hive_partitioning = false)
GROUP BY stack;
CREATE OR REPLACE VIEW frames AS
SELECT DISTINCT stack, "index", func, file, line, package, module
FROM read_parquet('fleet/*/*/frames.parquet', hive_partitioning = false);
