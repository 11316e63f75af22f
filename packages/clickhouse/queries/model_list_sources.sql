-- The sources on the paths of a period's purchases, with the campaign of each, most frequent first.
WITH
{{part sources}},
    met AS
    (
        SELECT arrayJoin(arrayDistinct(source_ids)) AS source_id, count() AS purchases
        FROM attributed_conversions FINAL
        WHERE profile_id = {profile_id:UUID} AND revenue_type = 'cash'
            AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
        GROUP BY source_id
    )
SELECT s.source_id AS source_id, s.of_level AS campaign_id, s.channel AS channel, m.purchases AS purchases
FROM sources AS s
LEFT JOIN met AS m ON m.source_id = s.source_id
ORDER BY purchases DESC, source_id
LIMIT {limit:UInt32}
SETTINGS do_not_merge_across_partitions_select_final = 1
