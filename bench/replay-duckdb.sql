-- The same computation in plain SQL over DuckDB's own tables: joined links, the window, deduplication by session and source, paths of up to 200
-- touches, six models in whole minor units by largest remainder. It runs on one part of the customers, because all paths of a million conversions at
-- once need more than 16 GB; the tables are ordered by part, so that each is read once.
INSERT INTO results
WITH
pairs AS (
  SELECT c.conversion_id, c.value, c.conversion_time, t.touch_id, t.session_id, t.occurred_at, t.source_id
  FROM conversions c
  JOIN links l ON l.part = c.part AND l.person_id = c.person_id
  JOIN touches t ON t.part = l.part AND t.visitor_id = l.visitor_id
  WHERE c.part = $part AND l.part = $part AND t.part = $part AND t.occurred_at <= c.conversion_time AND t.occurred_at >= c.conversion_time - c.lookback_days * 86400000
),
firsts AS (
  SELECT * FROM pairs
  QUALIFY row_number() OVER (PARTITION BY conversion_id, session_id, source_id ORDER BY occurred_at, touch_id) = 1
),
counted AS (
  SELECT *, row_number() OVER (PARTITION BY conversion_id ORDER BY occurred_at, touch_id) AS place, count(*) OVER (PARTITION BY conversion_id) AS touch_count
  FROM firsts
),
path AS (
  SELECT *,
    CASE WHEN place = 1 THEN 1 WHEN touch_count > 200 THEN place - touch_count + 200 ELSE place END AS i,
    least(touch_count, 200) AS n,
    max(occurred_at) OVER (PARTITION BY conversion_id) AS last_at,
    max(CASE WHEN source_id & 1 = 0 THEN place END) OVER (PARTITION BY conversion_id) AS last_non_direct_place
  FROM counted WHERE place = 1 OR place > touch_count - 199
),
aged AS (
  SELECT *, (last_at - occurred_at) // 60000 AS age FROM path
),
weighed AS (
  SELECT *,
    (hour_weights[(age // 60) % 168 + 1] * minute_weights[age % 60 + 1]) >> (age // 10080 + 5)::INT AS weight
  FROM aged, decay
),
shared AS (
  SELECT *,
    value // n + (i <= value % n)::INT AS linear,
    value::HUGEINT * weight // sum(weight) OVER (PARTITION BY conversion_id) AS decay_share,
    value::HUGEINT * weight % sum(weight) OVER (PARTITION BY conversion_id) AS decay_rest,
    CASE WHEN n <= 2 THEN value // n WHEN i = 1 OR i = n THEN value * 2 // 5 ELSE value // (5 * (n - 2)) END AS position_share,
    CASE WHEN n <= 2 THEN value % n WHEN i = 1 OR i = n THEN (value * 2 % 5) * (n - 2) ELSE value % (5 * (n - 2)) END AS position_rest
  FROM weighed
),
ranked AS (
  SELECT *,
    row_number() OVER (PARTITION BY conversion_id ORDER BY decay_rest DESC, i) AS decay_rank,
    value - sum(decay_share) OVER (PARTITION BY conversion_id) AS decay_left,
    row_number() OVER (PARTITION BY conversion_id ORDER BY position_rest DESC, i) AS position_rank,
    value - sum(position_share) OVER (PARTITION BY conversion_id) AS position_left
  FROM shared
)
SELECT conversion_id, any_value(value) AS value, any_value(touch_count) AS touch_count,
  list(touch_id ORDER BY i) AS touch_ids, list(occurred_at ORDER BY i) AS touch_times, list(source_id ORDER BY i) AS source_ids,
  any_value(coalesce(last_non_direct_place, touch_count)) AS last_non_direct,
  list(linear ORDER BY i) AS linear,
  list((decay_share + (decay_rank <= decay_left)::INT)::BIGINT ORDER BY i) AS time_decay,
  list(position_share + (position_rank <= position_left)::INT ORDER BY i) AS position_based
FROM ranked
GROUP BY conversion_id
