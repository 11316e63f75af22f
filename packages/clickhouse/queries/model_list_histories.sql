-- Histories of a sample of people, including those who never bought: touches in order of time, and purchase times, in
-- days since the start of the period. A hash decides the sample and the order. A visitor without a known customer is
-- a separate person.
WITH
    toUnixTimestamp64Milli({from:DateTime64(3, 'UTC')}) AS begin_ms,
    links AS
    (
        SELECT visitor_id, person_id FROM attribution_links
        WHERE batch_id = {batch_id:UUID} AND profile_id = {profile_id:UUID}
    ),
    arrivals AS
    (
        SELECT
            if(l.person_id != toUUID('00000000-0000-0000-0000-000000000000'), l.person_id, t.visitor_id) AS person,
            t.source_id AS source_id,
            -- Repeated touches of one session count as one.
            if(t.session_id = toUUID('00000000-0000-0000-0000-000000000000'), t.touch_id, t.session_id) AS session,
            min(t.occurred_at) AS at
        FROM touches AS t
        LEFT JOIN links AS l ON l.visitor_id = t.visitor_id
        WHERE t.profile_id = {profile_id:UUID}
            AND t.occurred_at >= {from:DateTime64(3, 'UTC')} AND t.occurred_at < {until:DateTime64(3, 'UTC')}
        GROUP BY person, source_id, session
        HAVING cityHash64(person) % 65536 < {share:UInt32}
        UNION ALL
        -- An outcome that names its ad is a touch at its own time, without a row in touches; its own path ends with
        -- it. Without these, a customer who answered an ad off the site would seem to have bought without an ad.
        SELECT person_id AS person, last_source AS source_id, conversion_id AS session, conversion_time AS at
        FROM attributed_conversions FINAL
        WHERE profile_id = {profile_id:UUID} AND notEmpty(touch_times) AND touch_times[-1] = conversion_time
            AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
            AND cityHash64(person_id) % 65536 < {share:UInt32}
    ),
    -- Keeps the latest touches, up to the maximum per person.
    touched AS
    (
        SELECT person, arraySlice(arraySort(groupUniqArray((at, source_id))), -{most:UInt32}) AS touches
        FROM arrivals
        GROUP BY person
    ),
    bought AS
    (
        SELECT person_id AS person, arraySlice(arraySort(groupArray(conversion_time)), -{most:UInt32}) AS times
        FROM attributed_conversions FINAL
        WHERE profile_id = {profile_id:UUID} AND revenue_type = 'cash' AND cityHash64(person_id) % 65536 < {share:UInt32}
            AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
        GROUP BY person
    )
SELECT
    arrayMap(touch -> (toUnixTimestamp64Milli(touch.1) - begin_ms) / 86400000, t.touches) AS at,
    arrayMap(touch -> touch.2, t.touches) AS source_ids,
    arrayMap(time -> (toUnixTimestamp64Milli(time) - begin_ms) / 86400000, b.times) AS bought_at
FROM touched AS t
FULL JOIN bought AS b ON b.person = t.person
ORDER BY cityHash64(if(empty(t.touches), b.person, t.person)), if(empty(t.touches), b.person, t.person)
SETTINGS do_not_merge_across_partitions_select_final = 1
