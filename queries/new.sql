-- What is there on the last day and wasn't the day before: `diff YESTERDAY TODAY --by shape`, rows that are new. A
-- shape stays the same when lines move and Go's version changes.
WITH days AS (
    SELECT date, row_number() OVER (ORDER BY date DESC) AS back FROM (SELECT DISTINCT date FROM inputs) d
),
shapes AS (
    SELECT s.shape, d.back, min(s.category) AS category, min(s.name) AS name,
           sum(g.count) AS goroutines, count(DISTINCT g.node) AS nodes
    FROM groups g
    JOIN stacks s ON s.stack = g.stack
    JOIN days d ON d.date = g.date
    WHERE d.back <= 2
    GROUP BY s.shape, d.back
)
SELECT t.shape, t.category, t.name, t.goroutines, t.nodes
FROM shapes t
LEFT JOIN shapes y ON y.shape = t.shape AND y.back = 2
WHERE t.back = 1 AND y.shape IS NULL
ORDER BY t.goroutines DESC, t.shape;
