-- The number of visits of some visitors, and the times of the earliest `limit` of them: enough to decide which belong
-- to a page. FINAL: a redelivered visit counts once.
SELECT
    count() AS events,
    arraySlice(arraySort(groupArray(toFloat64(toUnixTimestamp64Milli(occurred_at)))), 1, {limit:UInt32}) AS times
FROM visits FINAL
WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND occurred_at <= {until:DateTime64(3, 'UTC')} AND NOT is_bot
