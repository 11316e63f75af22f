-- The path of each conversion, by the channel of each touch. Read by primary key, so the cost depends on the page
-- size only.
WITH
    found AS
    (
        SELECT conversion_id, touch_count, country, device, source_ids, if(empty(touch_times), NULL, touch_times[1]) AS first_touch_at
        FROM attributed_conversions FINAL
        WHERE profile_id = {profile_id:UUID}
            AND conversion_time IN (SELECT fromUnixTimestamp64Milli(arrayJoin({conversion_times:Array(Int64)}), 'UTC'))
            AND conversion_id IN {conversion_ids:Array(UUID)}
    ),
    steps AS
    (
        SELECT * EXCEPT source_ids, source_id, place
        FROM found LEFT ARRAY JOIN source_ids AS source_id, arrayEnumerate(source_ids) AS place
    )
SELECT
    conversion_id,
    any(s.touch_count) AS touch_count,
    any(s.country) AS country,
    any(s.device) AS device,
    any(s.first_touch_at) AS first_touch_at,
    arrayMap(step -> step.2, arraySort(groupArrayIf((place, t.channel), place > 0))) AS channels,
    argMax(t.source, place) AS source
FROM steps AS s
LEFT JOIN
(
    SELECT source_id, any(channel) AS channel, any(source) AS source FROM touch_sources
    WHERE profile_id = {profile_id:UUID} AND source_id IN (SELECT arrayJoin(source_ids) FROM found)
    GROUP BY source_id
) AS t ON t.source_id = s.source_id
GROUP BY conversion_id
