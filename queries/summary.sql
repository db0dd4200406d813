-- The table of `summarize`, of the last day: what the goroutines of the fleet are doing.
SELECT s.category,
       sum(g.count) AS goroutines,
       count(DISTINCT g.stack) AS stacks,
       min(g.wait_min) AS wait_min,
       max(g.wait_max) AS wait_max,
       count(DISTINCT g.node) AS nodes
FROM groups g
JOIN stacks s ON s.stack = g.stack
WHERE g.date = (SELECT max(date) FROM inputs)
GROUP BY s.category
ORDER BY goroutines DESC, s.category;
