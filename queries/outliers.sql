-- Nodes that have far more, or far fewer, goroutines of one name than the others, on the last day: what
-- `summarize` says of inputs that are outliers, and by the same rule. Loads differ by factors, so logarithms are
-- compared, ten added to each number; 5 spreads (1.4826 times the MAD, at least 0.3) from the median are far. Where
-- more than one node in eight differs, there are several sorts of nodes and none is odd.
WITH today AS (
    SELECT g.node, s.category, s.name, g.count
    FROM groups g
    JOIN stacks s ON s.stack = g.stack
    WHERE g.date = (SELECT max(date) FROM inputs)
),
nodes AS (
    SELECT node, sum(count) AS total FROM today GROUP BY node HAVING sum(count) <> 0
),
fleet AS (
    SELECT count(*) AS nodes,
           CASE WHEN 0.02 * median(total) > 20 THEN 0.02 * median(total) ELSE 20.0 END AS least
    FROM nodes
),
counted AS (
    SELECT node, category, name, sum(count) AS count FROM today GROUP BY node, category, name
),
names AS (
    SELECT DISTINCT category, name FROM counted
),
-- A node that has none of a name has 0.
every AS (
    SELECT n.node AS node, k.category AS category, k.name AS name,
           coalesce(c.count, 0) AS count,
           ln(coalesce(c.count, 0) + 10.0) AS size
    FROM nodes n
    CROSS JOIN names k
    LEFT JOIN counted c ON c.node = n.node AND c.category = k.category AND c.name = k.name
),
centre AS (
    SELECT category, name, median(count) AS middle, median(size) AS centre FROM every GROUP BY category, name
),
spread AS (
    SELECT e.category AS category, e.name AS name, median(abs(e.size - c.centre)) AS mad
    FROM every e
    JOIN centre c ON c.category = e.category AND c.name = e.name
    GROUP BY e.category, e.name
),
odd AS (
    SELECT e.node AS node, e.category AS category, e.name AS name, e.count AS count, c.middle AS middle,
           count(*) OVER (PARTITION BY e.category, e.name) AS odd_nodes
    FROM every e
    JOIN centre c ON c.category = e.category AND c.name = e.name
    JOIN spread m ON m.category = e.category AND m.name = e.name
    CROSS JOIN fleet f
    WHERE f.nodes >= 4
      AND abs(e.size - c.centre) > 5 * CASE WHEN 1.4826 * m.mad > 0.3 THEN 1.4826 * m.mad ELSE 0.3 END
      AND abs(e.count - c.middle) >= f.least
)
SELECT o.node, o.category, o.name, o.count, o.middle
FROM odd o
CROSS JOIN fleet f
WHERE o.odd_nodes <= CASE WHEN f.nodes >= 16 THEN floor(f.nodes / 8) ELSE 1 END
ORDER BY abs(o.count - o.middle) DESC, o.node, o.category, o.name;
