-- Visits received in [from, to), by day in the profile's time zone. A visit is received between 30 days after and 5
-- minutes before the time it states, which limits the partitions to read. For a sample of visitors, up to an id, also
-- how many visits have no known customer.
SELECT
    toString(toDate(received_at, {time_zone:String})) AS day,
    count() AS visits,
    countIf(is_bot) AS bots,
    countIf(NOT is_bot AND toString(visitor_id) <= {sample_through:String}) AS sampled,
    countIf(NOT is_bot AND toString(visitor_id) <= {sample_through:String} AND visitor_id NOT IN {linked:Array(UUID)}) AS sampled_unmatched
FROM visits FINAL
WHERE profile_id = {profile_id:UUID}
  AND occurred_at >= {from:DateTime64(3, 'UTC')} - INTERVAL 31 DAY
  AND occurred_at < {to:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
  AND received_at >= {from:DateTime64(3, 'UTC')}
  AND received_at < {to:DateTime64(3, 'UTC')}
GROUP BY day
ORDER BY day
