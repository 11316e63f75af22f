-- What arrived in [from, to), by day in the profile's time zone. A visit arrives at most 30 days after it happened and 5 minutes
-- before, which names the partitions to read. Of the browsers up to an id, how many visits are of nobody's.
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
