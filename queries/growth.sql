-- What grows from day to day: `diff --series DAY... --by shape`. A row for each shape that is more at each step than
-- at the one before, with its first and its last number.
WITH days AS (
    SELECT date, row_number() OVER (ORDER BY date) AS day FROM (SELECT DISTINCT date FROM inputs) d
),
counted AS (
    SELECT s.shape, g.date, sum(g.count) AS count
    FROM groups g
    JOIN stacks s ON s.stack = g.stack
    GROUP BY s.shape, g.date
),
shapes AS (
    SELECT DISTINCT shape FROM counted
),
every AS (
    SELECT h.shape AS shape, d.day AS day, coalesce(c.count, 0) AS count
    FROM shapes h
    CROSS JOIN days d
    LEFT JOIN counted c ON c.shape = h.shape AND c.date = d.date
),
steps AS (
    SELECT shape, day, count,
           CASE WHEN day > 1 THEN count - lag(count) OVER (PARTITION BY shape ORDER BY day) END AS step
    FROM every
),
named AS (
    SELECT shape, min(category) AS category, min(name) AS name FROM stacks GROUP BY shape
)
SELECT t.shape,
       min(n.category) AS category,
       min(n.name) AS name,
       min(t.count) AS from_count,
       max(t.count) AS to_count
FROM steps t
JOIN named n ON n.shape = t.shape
GROUP BY t.shape
HAVING min(t.step) > 0
ORDER BY to_count - from_count DESC, t.shape;
