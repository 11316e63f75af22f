-- For each conversion, the touches of its customer that are not on the path, nearest in time first. `kin` is the
-- earliest touch of the window with the same session and source, which this touch repeats. Only the latest 1000
-- touches of a person are considered. Paths are compared by a subquery, because joining them to every touch would
-- exhaust memory.
WITH
    links AS
    (
        SELECT pair.1 AS visitor_id, pair.2 AS person_id
        FROM (SELECT arrayJoin(arrayZip({visitor_ids:Array(UUID)}, {person_ids:Array(UUID)})) AS pair)
    ),
    conversions AS
    (
        SELECT conversion_id, person_id, conversion_time, lookback_days, touch_ids
        FROM attributed_conversions FINAL
        WHERE profile_id = {profile_id:UUID}
            AND conversion_time IN {times:Array(DateTime64(3, 'UTC'))}
            AND conversion_id IN {ids:Array(UUID)}
    ),
    met AS
    (
        SELECT l.person_id AS person_id, t.touch_id AS touch_id, t.occurred_at AS occurred_at, t.channel AS channel,
            cityHash64(if(t.session_id = toUUID('00000000-0000-0000-0000-000000000000'), t.touch_id, t.session_id), t.source_id) AS mark
        FROM (SELECT * FROM touches FINAL WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)}) AS t
        INNER JOIN links AS l ON l.visitor_id = t.visitor_id
        ORDER BY occurred_at DESC
        LIMIT 1000 BY person_id
    )
SELECT conversion_id, touch_id, occurred_at, channel, kin
FROM
(
    SELECT
        c.conversion_id AS conversion_id,
        m.touch_id AS touch_id,
        m.occurred_at AS occurred_at,
        m.channel AS channel,
        c.conversion_time AS conversion_time,
        m.occurred_at <= c.conversion_time AND m.occurred_at >= c.conversion_time - toIntervalDay(c.lookback_days) AS is_within,
        first_value(m.touch_id) OVER (PARTITION BY c.conversion_id, is_within, m.mark ORDER BY m.occurred_at, m.touch_id) AS kin
    FROM met AS m
    INNER JOIN (SELECT conversion_id, person_id, conversion_time, lookback_days FROM conversions) AS c ON c.person_id = m.person_id
)
WHERE (conversion_id, touch_id) NOT IN (SELECT conversion_id, arrayJoin(touch_ids) FROM conversions)
ORDER BY abs(toUnixTimestamp64Milli(occurred_at) - toUnixTimestamp64Milli(conversion_time)), touch_id
LIMIT {limit:UInt16} BY conversion_id
SETTINGS do_not_merge_across_partitions_select_final = 1
