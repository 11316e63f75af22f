-- Every conversion of the period once: by day and type, and by the channel of its last touch.
WITH
    (
        SELECT (groupArray(source_id), groupArray(toString(channel)))
        FROM (SELECT source_id, channel FROM touch_sources FINAL WHERE profile_id = {profile_id:UUID})
    ) AS known
SELECT
    toString(toDate(conversion_time, {time_zone:String})) AS day,
    conversion_type,
    transform(source_ids[-1], known.1, known.2, 'unknown') AS channel,
    grouping(channel) = 1 AS is_of_day,
    count() AS conversions,
    countIf(revenue_type = 'cash') AS payments,
    sumIf(value, revenue_type = 'cash') AS value
FROM attributed_conversions FINAL
WHERE profile_id = {profile_id:UUID}
    AND conversion_time >= {from:DateTime64(3, 'UTC')}
    AND conversion_time < {until:DateTime64(3, 'UTC')}
GROUP BY GROUPING SETS ((day, conversion_type), (channel))
ORDER BY day, conversion_type, channel
SETTINGS do_not_merge_across_partitions_select_final = 1
