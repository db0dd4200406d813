-- The tables of a fleet as views: fleet/date=.../node=.../*.parquet
--
--   spark-sql -i queries/spark.sql -f queries/top.sql
--
-- Other places: replace 'fleet' (s3a://bucket/fleet works, too).
SET spark.sql.sources.partitionColumnTypeInference.enabled = false;
CREATE OR REPLACE TEMPORARY VIEW inputs USING parquet OPTIONS (path 'fleet', pathGlobFilter 'inputs.parquet');
CREATE OR REPLACE TEMPORARY VIEW groups USING parquet OPTIONS (path 'fleet', pathGlobFilter 'groups.parquet');
CREATE OR REPLACE TEMPORARY VIEW goroutines USING parquet OPTIONS (path 'fleet', pathGlobFilter 'goroutines.parquet');
CREATE OR REPLACE TEMPORARY VIEW `values` USING parquet OPTIONS (path 'fleet', pathGlobFilter 'values.parquet');
CREATE OR REPLACE TEMPORARY VIEW all_stacks USING parquet OPTIONS (path 'fleet', pathGlobFilter 'stacks.parquet');
CREATE OR REPLACE TEMPORARY VIEW all_frames USING parquet OPTIONS (path 'fleet', pathGlobFilter 'frames.parquet');
-- A stack is the same on every node.
CREATE OR REPLACE TEMPORARY VIEW stacks AS
SELECT stack, min(shape) AS shape, min(category) AS category, min(name) AS name FROM all_stacks GROUP BY stack;
CREATE OR REPLACE TEMPORARY VIEW frames AS
SELECT DISTINCT stack, `index`, func, file, line, package, module FROM all_frames;
