-- A hand-written statement for the result alone: the same links, windows, paths and exact credits of all six models. It runs in one pass over all
-- customers, without buckets, versions, history or a comparison with existing rows.
INSERT INTO bare_results
WITH
    journeys AS
    (
        SELECT
            person_id,
            arraySort((touch, at) -> at, arrayZip(
                groupArray(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(occurred_at)), 128) + reinterpretAsUInt128(touch_id)) AS order,
                groupArray(cityHash64(if(session_id = toUUID('00000000-0000-0000-0000-000000000000'), touch_id, session_id), source_id)),
                groupArray(source_id),
                groupArray(toUInt32(reinterpretAsUInt16(toString(country)) * 4 + transform(device, ['desktop', 'mobile', 'tablet'], [1, 2, 3], 0)))),
                order) AS touches
        FROM touches AS t FINAL
        INNER JOIN bare_links AS l ON l.visitor_id = t.visitor_id
        WHERE profile_id = {profile_id:UUID}
        GROUP BY person_id
    ),
    windows AS
    (
        SELECT
            c.*,
            toUnixTimestamp64Milli(conversion_time) AS until,
            bitShiftLeft(toUInt256(until - lookback_days * 86400000), 128) AS first_place,
            bitShiftLeft(toUInt256(until + 1), 128) AS end_place,
            arrayFilter(touch -> touch.1 >= first_place AND touch.1 < end_place, touches) AS within,
            arrayEnumerateUniq(within.2) AS repeat,
            arrayCumSum(arrayMap(nth -> nth = 1, repeat)) AS nth_touch,
            countEqual(repeat, 1) AS touch_count,
            arrayFilter((touch, nth, at) -> nth = 1 AND (at = 1 OR at > touch_count - 199), within, repeat, nth_touch) AS path
        FROM bare_conversions AS c
        LEFT JOIN journeys AS j ON j.person_id = c.person_id
    ),
    weighed AS
    (
        SELECT
            * EXCEPT (touches, within, repeat, nth_touch, first_place, end_place, until),
            length(path) AS n,
            arrayEnumerate(path) AS places,
            arrayMap(place -> toInt64(bitShiftRight(place, 128)), path.1) AS times,
            toUInt64(value) AS amount,
            intDiv(amount, greatest(n, 1)) AS even_share,
            modulo(amount, greatest(n, 1)) AS even_rest,
            toUInt64(greatest(toInt64(n) - 2, 1)) AS m,
            intDiv(2 * amount, 5) AS end_share,
            modulo(2 * amount, 5) * m AS end_rest,
            intDiv(amount, 5 * m) AS middle_share,
            modulo(amount, 5 * m) AS middle_rest,
            amount - 2 * end_share - m * middle_share AS position_left,
            arrayMap(time -> intDiv(times[-1] - time, 60000), times) AS ages,
            arrayMap(age -> bitShiftRight({hour_weights:Array(UInt64)}[modulo(intDiv(age, 60), 168) + 1] * {minute_weights:Array(UInt64)}[modulo(age, 60) + 1], intDiv(age, 10080) + 5), ages) AS weights,
            arraySum(weights) AS weight,
            arrayMap(own -> toUInt128(amount) * own, weights) AS portions,
            arrayMap(portion -> toUInt64(intDiv(portion, weight)), portions) AS decay_shares,
            arrayMap((portion, share) -> toInt64(portion - toUInt128(share) * weight), portions, decay_shares) AS decay_rests,
            amount - arraySum(decay_shares) AS decay_left,
            arraySort((at, rest) -> bitShiftLeft(toInt128(-rest), 16) + at, places, decay_rests)[decay_left] AS decay_last,
            decay_rests[decay_last] AS decay_last_rest
        FROM windows
    )
SELECT
    profile_id,
    conversion_time,
    conversion_id,
    person_id,
    definition_id,
    conversion_type,
    revenue_type,
    value,
    currency,
    is_first_payment,
    purchase_id,
    touch_count,
    if(n = 0, 'ZZ', reinterpretAsString(toUInt16(intDiv(path.4[-1], 4)))) AS country,
    if(n = 0, 'unknown', ['unknown', 'desktop', 'mobile', 'tablet'][modulo(path.4[-1], 4) + 1]) AS device,
    arrayMap(place -> reinterpretAsUUID(toUInt128(place)), path.1) AS touch_ids,
    arrayMap(time -> fromUnixTimestamp64Milli(time, 'UTC'), times) AS touch_times,
    path.3 AS source_ids,
    toUInt16(if(arrayLastIndex(source -> bitAnd(source, 1) = 0, source_ids) AS found = 0, n, found)) AS last_non_direct,
    arrayMap(at -> toInt64(even_share + (at <= even_rest)), places) AS linear,
    arrayMap((share, rest, at) -> toInt64(share + (decay_left > 0 AND (rest > decay_last_rest OR (rest = decay_last_rest AND at <= decay_last)))), decay_shares, decay_rests, places) AS time_decay,
    if(n <= 2, linear, arrayMap(at -> toInt64(
        if(at = 1 OR at = n, end_share, middle_share)
        + (multiIf(
            end_rest = middle_rest, at,
            end_rest > middle_rest, multiIf(at = 1, 1, at = n, 2, at + 1),
            multiIf(at = 1, n - 1, at = n, n, at - 1)) <= position_left)), places)) AS position_based
FROM weighed
