-- When the events of some browsers happened, the earliest first and as many as asked for, and how many there are: enough to tell
-- which of them stand on a page. A touch that came from a visit is that visit. FINAL: a redelivered visit is one.
SELECT
    count() AS events,
    arraySlice(arraySort(groupArray(toFloat64(toUnixTimestamp64Milli(occurred_at)))), 1, {limit:UInt32}) AS times
FROM
(
    SELECT occurred_at FROM visits FINAL
    WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND NOT is_bot AND occurred_at <= {until:DateTime64(3, 'UTC')}
    UNION ALL
    SELECT occurred_at FROM touches FINAL
    WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND kind != 'visit' AND occurred_at <= {until:DateTime64(3, 'UTC')}
)
