-- Computes one bucket of a batch, which may contain several profiles: every conversion's path, and its credits under all models.
-- packages/rules/attribution is the readable version of this statement; a drill checks that both agree to the minor unit.
-- Every join includes the profile, because two profiles may have the same visitor id.
--
-- A touch is a tuple of four numbers, because arrays of numbers are grouped and sorted several times faster than other types:
--   .1 its order: time in milliseconds, then its id, so that touches of one instant are ordered, too
--   .2 a hash of session and source, equal for repeated touches
--   .3 its source
--   .4 country and device, and above them a bit that marks a touch declared by the customer
--
-- Results go into attribution_results, to be compared with current rows; or directly into attributed_conversions, if the profile
-- has none yet.
INSERT INTO {target:Identifier}
(
    profile_id, conversion_time, conversion_id, version, is_deleted, person_id, is_anonymous, definition_id, conversion_type, revenue_type,
    value, has_value, currency, is_first_payment, purchase_id, lookback_days, touch_count, country, device, touch_ids, touch_times,
    source_ids, last_non_direct, linear, time_decay, position_based, content_hash, cause, further_shares, further_model_versions,
    applied_at, cause_ref
)
WITH
    -- The keys (ad, click, click type, source) of touches from the ledger, and of visits of the same people. A source
    -- is only a key for touches declared by the customer.
    touch_keys AS
    (
        SELECT
            profile_id, person_id, is_ledger_touch, order, at,
            arrayJoin(arrayFilter(key -> key.2 != 0, [
                (1, if(ad_id = toUUID('00000000-0000-0000-0000-000000000000'), 0, cityHash64(ad_id))),
                (2, click_mark),
                (3, if(click_id_kind = '', 0, cityHash64(click_id_kind))),
                (4, if(is_ledger_touch AND medium != {declared_medium:String}, 0, cityHash64(source)))])) AS key
        FROM
        (
            SELECT
                profile_id, person_id, true AS is_ledger_touch, bitShiftLeft(toUInt256(toUnixTimestamp64Milli(occurred_at)), 128) + reinterpretAsUInt128(touch_id) AS order,
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
    -- For each touch from the ledger, the nearest visits before and after it with the same key. If one of them is in
    -- the window of a conversion, it is the same arrival, and the ledger's touch is ignored there. 0: no such visit.
    duplicate_touches AS
    (
        SELECT profile_id AS of_profile_id, person_id AS of_person_id, groupArray((order, nearest_before, nearest_after)) AS doubles
        FROM
        (
            SELECT
                profile_id, person_id, order,
                max(if(key.1 = 3 AND before < at - {same_click_ms:UInt32}, 0, before)) AS nearest_before,
                minIf(after, key.1 != 3 AND after != 0) AS nearest_after
            FROM
            (
                SELECT
                    profile_id, person_id, is_ledger_touch, order, at, key,
                    maxIf(at, NOT is_ledger_touch) OVER (PARTITION BY profile_id, person_id, key ORDER BY at) AS before,
                    minIf(at, NOT is_ledger_touch) OVER (PARTITION BY profile_id, person_id, key ORDER BY at DESC) AS after
                FROM touch_keys
            )
            WHERE is_ledger_touch
            GROUP BY profile_id, person_id, order
        )
        WHERE nearest_before != 0 OR nearest_after != 0
        GROUP BY profile_id, person_id
    ),
    touches_by_person AS
    (
        SELECT
            profile_id AS owner_profile_id,
            person_id AS owner_person_id,
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
            -- The bucket's visitors are spread over the whole table: for all other rows only this column is read.
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
        SELECT owner_profile_id, owner_person_id, touches, moments, doubles
        FROM touches_by_person AS g
        LEFT JOIN duplicate_touches AS d ON d.of_profile_id = g.owner_profile_id AND d.of_person_id = g.owner_person_id
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
            -- Touches are sorted, so a window is a slice.
            arrayCount(moment -> moment < since, moments) AS before,
            arraySlice(touches, before + 1, arrayCount(moment -> moment <= until, moments) - before) AS in_window,
            arrayFilter(double -> (double.2 != 0 AND double.2 >= since) OR (double.3 != 0 AND double.3 <= until), doubles).1 AS duplicate_ids,
            if(empty(duplicate_ids), in_window, arrayFilter(touch -> NOT has(duplicate_ids, touch.1), in_window)) AS without_duplicates,
            -- A customer's answer is a fallback: it receives no credit if a known non-direct touch exists.
            if(
                arrayExists(touch -> touch.4 >= 1048576, without_duplicates) AND arrayExists(touch -> touch.4 < 1048576 AND bitAnd(touch.3, 1) = 0, without_duplicates),
                arrayFilter(touch -> touch.4 < 1048576, without_duplicates),
                without_duplicates) AS credited_touches,
            -- The ordinal of each touch among touches with the same hash in the window; only the first counts.
            arrayEnumerateUniq(credited_touches.2) AS repeat,
            arrayCumSum(arrayMap(nth -> nth = 1, repeat)) AS nth_touch,
            countEqual(repeat, 1) AS touch_count,
            -- Keeps the first touch and the last ones.
            arrayFilter((touch, nth, at) -> nth = 1 AND (at = 1 OR at > touch_count + 1 - {path_touches:UInt32}), credited_touches, repeat, nth_touch) AS path
        -- The journeys are the left side although every conversion is needed: a journey is long. This way it is
        -- repeated for a few conversions at a time (see the settings below), not for all conversions of a customer
        -- who has thousands.
        FROM journeys AS j
        RIGHT JOIN conversions AS c ON j.owner_profile_id = c.profile_id AND j.owner_person_id = c.person_id
    ),
    weighed AS
    (
        SELECT
            * EXCEPT (touches, doubles, duplicate_ids, in_window, without_duplicates, credited_touches, repeat, nth_touch, moments, since, before, until),
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
    -- Models added after these four change the hash only once they have shares.
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
