-- How many payments each owner is credited with, in millionths of a payment, under a model of multiple credits. A
-- payment is divided as its money is; one that is worth nothing, or has no exchange rate, in equal parts. Parts are
-- differences of a running sum, so that the parts of a payment add up to one despite rounding.
WITH
{{part sources}},
{{part owned}},
{{part numbered_owners}}
SELECT s.owner_id AS owner_id, p.platform AS platform, s.millionths AS millionths
FROM
(
    SELECT numbered_owners[owner] AS owner_id, sum(part) AS millionths
    FROM
    (
        SELECT
            arrayMap(source -> transform(source, numbered_sources, numbers_of_owners, toUInt32(0)), source_ids) AS owners_of_path,
            arrayCumSum(arrayMap(share -> if(value = 0, toInt128(1), toInt128(abs(share))), {{part shares by model}})) AS reached,
            arrayMap(to -> intDiv(1000000 * to, reached[-1]), reached) AS bounds,
            arrayMap((to, from) -> toInt64(to - from), bounds, arrayPushFront(arrayPopBack(bounds), toInt128(0))) AS parts
        FROM {{part standing_conversions by moment}}
        WHERE profile_id = {profile_id:UUID}
            AND conversion_time >= {from:DateTime64(3, 'UTC')}
            AND conversion_time < {until:DateTime64(3, 'UTC')}
            AND revenue_type = 'cash'
            AND notEmpty(source_ids)
    )
    ARRAY JOIN owners_of_path AS owner, parts AS part
    WHERE owner != 0
    GROUP BY owner
) AS s
LEFT JOIN (SELECT DISTINCT platform, reinterpretAsUUID(sipHash128(platform)) AS id FROM sources) AS p ON p.id = s.owner_id
SETTINGS do_not_merge_across_partitions_select_final = 1
