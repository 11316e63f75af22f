-- The same as `report_compare` by day, from the credit of each conversion: the days on which a report does not add
-- up.
WITH
{{part sources}},
{{part credits by credit of model}}
SELECT r.day AS day, r.credited AS credited, c.value AS value
FROM
(
    SELECT toString(toDate(conversion_time, {time_zone:String})) AS day, sumIf(credit, is_cash) AS credited FROM credits GROUP BY day
) AS r
INNER JOIN
(
    SELECT toString(toDate(conversion_time, {time_zone:String})) AS day, sumIf(value, revenue_type = 'cash') AS value
    FROM {{part standing_conversions by moment}}
    WHERE profile_id = {profile_id:UUID}
        AND conversion_time >= {from:DateTime64(3, 'UTC')}
        AND conversion_time < {until:DateTime64(3, 'UTC')}
    GROUP BY day
) AS c ON c.day = r.day
WHERE r.credited != c.value
ORDER BY day
SETTINGS do_not_merge_across_partitions_select_final = 1
