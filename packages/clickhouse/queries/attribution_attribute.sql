-- Works out one bucket of a batch, of however many profiles: every conversion's path, and its credits under all models at once.
-- packages/rules/attribution says the same in words that are easier to read; a drill holds the two together to the minor unit.
-- Whoever is joined is joined by profile, too: two profiles may know a browser by the same id.
--
-- A touch travels as four numbers, because arrays of numbers are gathered and sorted several times as fast as anything else:
--   .1 its place in time: milliseconds, then its id, so that touches of one moment have an order, too
--   .2 a mark that repeats of one session and source share
--   .3 its source
--   .4 country and device, and above them a bit that says that a customer declared it
--
-- What it finds goes into attribution_results, to be compared with what stands there; or at once into attributed_conversions, where
-- nothing does.
INSERT INTO {target:Identifier}
(
    profile_id, conversion_time, conversion_id, version, is_deleted, person_id, is_anonymous, definition_id, conversion_type, revenue_type,
    value, has_value, currency, is_first_payment, purchase_id, lookback_days, touch_count, country, device, touch_ids, touch_times,
    source_ids, last_non_direct, linear, time_decay, position_based, content_hash, cause, further_shares, further_model_versions,
    applied_at, cause_ref
)
WITH
    -- By which ad, click, kind of click and source somebody is said to have come, and visits of the same people. A source is said by the
    -- customers themselves only.
    named AS
    (
        SELECT
            profile_id, person_id, is_told, order, at,
            arrayJoin(arrayFilter(key -> key.2 != 0, [
                (1, if(ad_id = toUUID('00000000-0000-0000-0000-000000000000'), 0, cityHash64(ad_id))),
                (2, click_mark),
                (3, if(click_id_kind = '', 0, cityHash64(click_id_kind))),
                (4, if(is_told AND medium != {declared_medium:String}, 0, cityHash64(source)))])) AS key
        FROM
        (
            SELECT
                profile_id, person_id, true AS is_told, bitShiftLeft(toUInt256(toUnixTimestamp64Milli(occurred_at)), 128) + reinterpretAsUInt128(touch_id) AS order,
                toUnixTimestamp64Milli(occurred_at) AS at, ad_id, click_mark, toString(click_id_kind) AS click_id_kind, toString(source) AS source,
                toString(medium) AS medium
            FROM attribution_touches
            WHERE batch_id = {batch_id:UUID} AND bucket BETWEEN {first_bucket:UInt16} AND {last_bucket:UInt16}
            UNION ALL
            SELECT profile_id, person_id, false, toUInt256(0), toUnixTimestamp64Milli(occurred_at), ad_id, click_mark, toString(click_id_kind), toString(source), ''
            FROM touches AS t FINAL
            INNER JOIN
            (
                SELECT profile_id AS of_profile, visitor_id AS of_visitor, person_id FROM attribution_links
                WHERE batch_id = {batch_id:UUID} AND bucket BETWEEN {first_bucket:UInt16} AND {last_bucket:UInt16}
            ) AS l ON l.of_profile = t.profile_id AND l.of_visitor = t.visitor_id
            PREWHERE (profile_id, visitor_id) IN
                (
                    SELECT profile_id, visitor_id FROM attribution_links
                    WHERE batch_id = {batch_id:UUID} AND bucket BETWEEN {first_bucket:UInt16} AND {last_bucket:UInt16}
                        AND (profile_id, person_id) IN
                        (
                            SELECT profile_id, person_id FROM attribution_touches
                            WHERE batch_id = {batch_id:UUID} AND bucket BETWEEN {first_bucket:UInt16} AND {last_bucket:UInt16}
                        )
                )
        )
    ),
    -- Of each touch that was told, the nearest visits before and after it that tell of the same arrival: in whose window one of them
    -- lies, of that conversion it is none. 0: there is none.
    told_twice AS
    (
        SELECT profile_id AS told_in, person_id AS told_of, groupArray((order, nearest_before, nearest_after)) AS doubles
        FROM
        (
            SELECT
                profile_id, person_id, order,
                max(if(key.1 = 3 AND before < at - {same_click_ms:UInt32}, 0, before)) AS nearest_before,
                minIf(after, key.1 != 3 AND after != 0) AS nearest_after
            FROM
            (
                SELECT
                    profile_id, person_id, is_told, order, at, key,
                    maxIf(at, NOT is_told) OVER (PARTITION BY profile_id, person_id, key ORDER BY at) AS before,
                    minIf(at, NOT is_told) OVER (PARTITION BY profile_id, person_id, key ORDER BY at DESC) AS after
                FROM named
            )
            WHERE is_told
            GROUP BY profile_id, person_id, order
        )
        WHERE nearest_before != 0 OR nearest_after != 0
        GROUP BY profile_id, person_id
    ),
    gathered AS
    (
        SELECT
            profile_id AS whose_profile,
            person_id AS whose,
            arraySort((touch, at) -> at, arrayZip(
                groupArray(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(occurred_at)), 128) + reinterpretAsUInt128(touch_id)) AS order,
                groupArray(cityHash64(if(session_id = toUUID('00000000-0000-0000-0000-000000000000'), touch_id, session_id), source_id)),
                groupArray(source_id),
                groupArray(place)),
                order) AS touches,
            arrayMap(touch -> toInt64(bitShiftRight(touch, 128)), touches.1) AS moments
        FROM
        (
            SELECT
                profile_id, person_id, occurred_at, touch_id, session_id, source_id,
                toUInt32(reinterpretAsUInt16(toString(country)) * 4 + transform(device, {devices:Array(String)}, arrayEnumerate({devices:Array(String)}), 0)) AS place
            FROM touches AS t FINAL
            INNER JOIN
            (
                SELECT profile_id AS of_profile, visitor_id AS of_visitor, person_id FROM attribution_links
                WHERE batch_id = {batch_id:UUID} AND bucket BETWEEN {first_bucket:UInt16} AND {last_bucket:UInt16}
            ) AS l ON l.of_profile = t.profile_id AND l.of_visitor = t.visitor_id
            -- The people of a bucket have other browsers all over the table: of what is not theirs, only this column is to be read.
            PREWHERE (profile_id, visitor_id) IN
                (
                    SELECT profile_id, visitor_id FROM attribution_links
                    WHERE batch_id = {batch_id:UUID} AND bucket BETWEEN {first_bucket:UInt16} AND {last_bucket:UInt16}
                )
            UNION ALL
            SELECT
                profile_id, person_id, occurred_at, touch_id, toUUID('00000000-0000-0000-0000-000000000000') AS session_id, source_id,
                toUInt32(reinterpretAsUInt16('ZZ') * 4 + if(medium = {declared_medium:String}, 1048576, 0)) AS place
            FROM attribution_touches
            WHERE batch_id = {batch_id:UUID} AND bucket BETWEEN {first_bucket:UInt16} AND {last_bucket:UInt16}
        )
        GROUP BY profile_id, person_id
    ),
    journeys AS
    (
        SELECT whose_profile, whose, touches, moments, doubles
        FROM gathered AS g
        LEFT JOIN told_twice AS d ON d.told_in = g.whose_profile AND d.told_of = g.whose
    ),
    conversions AS
    (
        SELECT * FROM attribution_conversions
        WHERE batch_id = {batch_id:UUID} AND bucket BETWEEN {first_bucket:UInt16} AND {last_bucket:UInt16} AND is_eligible
    ),
    windows AS
    (
        SELECT
            c.*,
            toUnixTimestamp64Milli(conversion_time) AS until,
            until - lookback_days * 86400000 AS since,
            -- They are in order, so a window is a stretch of them.
            arrayCount(moment -> moment < since, moments) AS before,
            arraySlice(touches, before + 1, arrayCount(moment -> moment <= until, moments) - before) AS in_window,
            arrayFilter(double -> (double.2 != 0 AND double.2 >= since) OR (double.3 != 0 AND double.3 <= until), doubles).1 AS needless,
            if(empty(needless), in_window, arrayFilter(touch -> NOT has(needless, touch.1), in_window)) AS once,
            -- A customer's answer is a fallback: it takes no credit from what is known to have brought them.
            if(
                arrayExists(touch -> touch.4 >= 1048576, once) AND arrayExists(touch -> touch.4 < 1048576 AND bitAnd(touch.3, 1) = 0, once),
                arrayFilter(touch -> touch.4 < 1048576, once),
                once) AS within,
            -- How often a touch's mark came before it in the window; the first of each counts.
            arrayEnumerateUniq(within.2) AS repeat,
            arrayCumSum(arrayMap(nth -> nth = 1, repeat)) AS nth_touch,
            countEqual(repeat, 1) AS touch_count,
            -- The first touch, and the last ones.
            arrayFilter((touch, nth, at) -> nth = 1 AND (at = 1 OR at > touch_count + 1 - {path_touches:UInt32}), within, repeat, nth_touch) AS path
        -- From the journeys, although every conversion is wanted: a journey is long, and is then repeated for a few conversions at a
        -- time (see the settings below), not for all thousand of a customer who is everybody.
        FROM journeys AS j
        RIGHT JOIN conversions AS c ON j.whose_profile = c.profile_id AND j.whose = c.person_id
    ),
    weighed AS
    (
        SELECT
            * EXCEPT (touches, doubles, needless, in_window, once, within, repeat, nth_touch, moments, since, before, until),
            length(path) AS n,
            arrayEnumerate(path) AS places,
            arrayMap(place -> toInt64(bitShiftRight(place, 128)), path.1) AS times,
            toUInt64(abs(value)) AS amount,
            if(value < 0, -1, 1) AS sign,
            {{part weigh_last_non_direct}},
            {{part weigh_linear}},
            {{part weigh_time_decay}},
            {{part weigh_position_based}},
            CAST({{map further}}, 'Map(LowCardinality(String), Array(Int64))') AS further_shares
        FROM windows
    )
SELECT
    profile_id,
    conversion_time,
    conversion_id,
    {version:UInt64} AS version,
    0 AS is_deleted,
    person_id,
    is_anonymous,
    definition_id,
    conversion_type,
    revenue_type,
    value,
    has_value,
    currency,
    is_first_payment,
    purchase_id,
    lookback_days,
    touch_count,
    if(n = 0, 'ZZ', reinterpretAsString(toUInt16(intDiv(bitAnd(path.4[-1], 1048575), 4)))) AS country,
    if(n = 0, 'unknown', arrayPushFront({devices:Array(String)}, 'unknown')[modulo(path.4[-1], 4) + 1]) AS device,
    arrayMap(place -> reinterpretAsUUID(toUInt128(place)), path.1) AS touch_ids,
    arrayMap(time -> fromUnixTimestamp64Milli(time, 'UTC'), times) AS touch_times,
    path.3 AS source_ids,
    last_non_direct,
    linear,
    time_decay,
    position_based,
    -- Models that came after these four have no part in it until there is one.
    bitXor(
        cityHash64(person_id, is_anonymous, definition_id, conversion_type, revenue_type, value, has_value, currency, is_first_payment, purchase_id,
            lookback_days, touch_count, country, device, touch_ids, source_ids, last_non_direct, linear, time_decay, position_based),
        if(empty(further_shares), 0, cityHash64(further_shares, further_model_versions))) AS content_hash,
    cause,
    further_shares,
    {model_versions:Map(LowCardinality(String), UInt32)} AS further_model_versions,
    {applied_at:DateTime64(3, 'UTC')} AS applied_at,
    cause_ref
FROM weighed AS w
SETTINGS
    query_plan_join_swap_table = 'false',
    joined_block_split_single_row = 1,
    max_joined_block_size_bytes = 16000000
