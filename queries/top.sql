-- The stacks that most goroutines of the fleet are in, on the last day: `summarize --by stack`.
SELECT g.stack,
       s.category,
       s.name,
       sum(g.count) AS goroutines,
       count(DISTINCT g.node) AS nodes,
       min(g.wait_min) AS wait_min,
       max(g.wait_max) AS wait_max
FROM groups g
JOIN stacks s ON s.stack = g.stack
WHERE g.date = (SELECT max(date) FROM inputs)
GROUP BY g.stack, s.category, s.name
ORDER BY goroutines DESC, g.stack;
