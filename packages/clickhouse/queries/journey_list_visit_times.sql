-- When some browsers' visits were, the earliest first and as many as asked for, and how many there are: enough to tell which of them
-- stand on a page. FINAL: a redelivered visit is one.
SELECT
    count() AS events,
    arraySlice(arraySort(groupArray(toFloat64(toUnixTimestamp64Milli(occurred_at)))), 1, {limit:UInt32}) AS times
FROM visits FINAL
WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND occurred_at <= {until:DateTime64(3, 'UTC')} AND NOT is_bot
