-- The tables of a fleet as views: fleet/date=.../node=.../*.parquet
--
--   clickhouse-local --queries-file queries/clickhouse.sql queries/top.sql
--
-- Other places: replace file('fleet/...') (s3('https://bucket.../fleet/...') works, too).
-- What the queries take for granted, as the standard says it: who has no partner has NULL, and a column of a table
-- comes before the name that a SELECT gives.
SET join_use_nulls = 1;
SET prefer_column_name_to_alias = 1;
SET use_hive_partitioning = 1;
CREATE VIEW inputs AS SELECT * FROM file('fleet/*/*/inputs.parquet');
CREATE VIEW groups AS SELECT * FROM file('fleet/*/*/groups.parquet');
CREATE VIEW goroutines AS SELECT * FROM file('fleet/*/*/goroutines.parquet');
CREATE VIEW "values" AS SELECT * FROM file('fleet/*/*/values.parquet');
-- A stack is the same on every node.
CREATE VIEW stacks AS
SELECT s.stack AS stack, min(s.shape) AS shape, min(s.category) AS category, min(s.name) AS name
FROM file('fleet/*/*/stacks.parquet') AS s
GROUP BY s.stack;
CREATE VIEW frames AS
SELECT DISTINCT stack, "index", func, file, line, package, module FROM file('fleet/*/*/frames.parquet');
