WITH
{{part sources}}
-- One row per conversion and touch on its path, and one row for a conversion without a path: the credit of each touch
-- under each model, in minor units, and the campaign, ad set and ad of the touch. Under every model the credits of a
-- conversion add up to its value. The rows contain no customer and no visitor.
SELECT
    -- The id that the API shows: the id of the outcome with two bits of its version flipped.
    concat(substring(c.id, 1, 14), lower(substring(hex(bitXor(reinterpretAsUInt8(unhex(concat('0', substring(c.id, 15, 1)))), 3)), 2)), substring(c.id, 16)) AS conversion_id,
    c.conversion_time AS conversion_time,
    c.conversion_type AS conversion_type,
    c.revenue_type AS revenue_type,
    c.value AS value,
    c.currency AS currency,
    c.has_value AS has_value,
    c.is_new_purchase AS is_new_purchase,
    c.touch_count AS touch_count,
    toUInt16(if(c.touch_count = 0, 0, c.place)) AS touch_number,
    toString(s.channel) AS channel,
    toString(s.source) AS source,
    toString(s.medium) AS medium,
    toString(s.platform) AS platform,
    if(s.of_campaign = nil_id, NULL, toString(s.of_campaign)) AS campaign_id,
    if(s.of_ad_set = nil_id, NULL, toString(s.of_ad_set)) AS ad_set_id,
    if(s.of_ad = nil_id, NULL, toString(s.of_ad)) AS ad_id,
    if(c.place = greatest(c.touch_count, 1), c.value, 0) AS last_touch,
    if(c.place = 1, c.value, 0) AS first_touch,
    if(c.place = greatest(c.last_non_direct, 1), c.value, 0) AS last_non_direct,
    c.linear_share AS linear,
    c.time_decay_share AS time_decay,
    c.position_based_share AS position_based
FROM
(
    SELECT
        toString(conversion_id) AS id,
        conversion_time,
        toString(conversion_type) AS conversion_type,
        toString(revenue_type) AS revenue_type,
        value,
        toString(currency) AS currency,
        has_value,
        is_first_payment AND purchase_id = conversion_id AS is_new_purchase,
        toUInt16(length(source_ids)) AS touch_count,
        last_non_direct,
        source_id, place, linear_share, time_decay_share, position_based_share
    FROM {{part standing_conversions by moment}}
    ARRAY JOIN
        if(empty(source_ids), [toUInt64(0)], source_ids) AS source_id,
        arrayEnumerate(if(empty(source_ids), [toUInt64(0)], source_ids)) AS place,
        if(empty(source_ids), [value], linear) AS linear_share,
        if(empty(source_ids), [value], time_decay) AS time_decay_share,
        if(empty(source_ids), [value], position_based) AS position_based_share
    WHERE profile_id = {profile_id:UUID}
        AND conversion_time >= {from:DateTime64(3, 'UTC')}
        AND conversion_time < {until:DateTime64(3, 'UTC')}
) AS c
LEFT JOIN sources AS s ON s.source_id = c.source_id
