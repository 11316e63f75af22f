-- Every conversion of the period once: by day and type, and by the channel of its last touch.
SELECT
    toDate(c.conversion_time, {time_zone:String}) AS day,
    c.conversion_type AS conversion_type,
    if(s.channel = '', 'no_touch', toString(s.channel)) AS channel,
    grouping(channel) = 1 AS is_of_day,
    count() AS conversions,
    countIf(c.revenue_type = 'cash') AS payments,
    sumIf(c.value, c.revenue_type = 'cash') AS value,
    countIf(c.revenue_type = 'cash' AND c.has_value) AS valued
FROM
(
    SELECT conversion_time, conversion_type, revenue_type, value, has_value, last_source AS source_id
    FROM {{part standing_conversions by moment}}
    WHERE profile_id = {profile_id:UUID}
        AND conversion_time >= {from:DateTime64(3, 'UTC')}
        AND conversion_time < {until:DateTime64(3, 'UTC')}
) AS c
ANY LEFT JOIN
(
    SELECT source_id, channel FROM touch_sources FINAL WHERE profile_id = {profile_id:UUID}
) AS s ON s.source_id = c.source_id
GROUP BY GROUPING SETS ((day, conversion_type), (channel))
ORDER BY day, conversion_type, channel
SETTINGS do_not_merge_across_partitions_select_final = 1
