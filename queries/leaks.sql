-- Who leaks, by module: goroutines of the last day that are blocked for a minute or more, or that the runtime proved
-- leaked, and whose code they are in. `summarize --by module --where 'wait >= 1m or flag == "leaked"'`
WITH stuck AS (
    SELECT g.date AS date, g.node AS node, g.input AS input, g.group_id AS group_id, count(*) AS count
    FROM goroutines r
    JOIN groups g ON g.date = r.date AND g.node = r.node AND g.group_id = r.group_id
    WHERE g.date = (SELECT max(date) FROM inputs)
      AND (r.wait_minutes >= 1 OR g.flags LIKE '%leaked%')
    GROUP BY g.date, g.node, g.input, g.group_id
),
modules AS (
    SELECT DISTINCT stack, module FROM frames
)
SELECT m.module,
       sum(s.count) AS goroutines,
       count(DISTINCT g.stack) AS stacks,
       count(DISTINCT s.node) AS nodes
FROM stuck s
JOIN groups g ON g.date = s.date AND g.node = s.node AND g.group_id = s.group_id
JOIN modules m ON m.stack = g.stack
GROUP BY m.module
ORDER BY goroutines DESC, m.module;
