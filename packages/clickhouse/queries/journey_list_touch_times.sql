-- Times of touches of some visitors, like journey_list_visit_times.
SELECT
    count() AS events,
    arraySlice(arraySort(groupArray(toFloat64(toUnixTimestamp64Milli(occurred_at)))), 1, {limit:UInt32}) AS times
FROM touches FINAL
WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND occurred_at <= {until:DateTime64(3, 'UTC')}
