{{part owned}},
{{part numbered_owners}},
    -- Conversion types as small integers, too.
    (SELECT groupUniqArray(toString(conversion_type)) FROM ({{part known_types by moment}})) AS types,
    -- The credit of each owner under the model, by conversion type. A conversion counts once for every owner with a
    -- share, at the owner's first touch. Every touch becomes a row, so all grouping attributes are packed into one
    -- number to keep rows small. Conversions without touches have no owner and are not here: sums_of_all adds them.
    sums AS
    (
        SELECT
            numbered_owners[owner] AS owner_id,
            types[bitShiftRight(kind, 4)] AS conversion_type,
            sum(firsts) AS conversions,
            sumIf(firsts, is_cash) AS payments,
            sumIf(firsts, is_cash AND is_new_purchase) AS first_payments,
            sumIf(earned, is_cash) AS value,
            sumIf(firsts, is_cash AND has_value) AS valued,
            sumIf(firsts, is_whole) AS whole_conversions,
            sumIf(firsts, is_whole AND is_cash) AS whole_payments,
            sumIf(firsts, is_whole AND is_cash AND is_new_purchase) AS whole_first_payments
        FROM
        (
            SELECT
                owner,
                kind,
                bitTest(kind, 0) AS is_cash,
                bitTest(kind, 1) AS is_new_purchase,
                bitTest(kind, 2) AS has_value,
                bitTest(kind, 3) AS is_whole,
                countIf(ordinal = 1) AS firsts,
                sum(share) AS earned
            FROM
            (
                SELECT
                    {{part shares by model}} AS shares,
                    arrayMap(source -> transform(source, numbered_sources, numbers_of_owners, toUInt32(0)), source_ids) AS owners_of_path,
                    -- The ordinal of each touch among its owner's touches. If the last ordinal equals the number of
                    -- touches, all touches have one owner.
                    arrayEnumerateUniq(owners_of_path) AS ordinals,
                    toUInt32(bitShiftLeft(indexOf(types, toString(conversion_type)), 4)
                        + (revenue_type = 'cash')
                        + 2 * (is_first_payment AND purchase_id = conversion_id)
                        + 4 * has_value
                        + 8 * (ordinals[-1] = length(ordinals))) AS kind
                FROM {{part standing_conversions by moment}}
                WHERE profile_id = {profile_id:UUID}
                    AND conversion_time >= {from:DateTime64(3, 'UTC')}
                    AND conversion_time < {until:DateTime64(3, 'UTC')}
            )
            ARRAY JOIN owners_of_path AS owner, shares AS share, ordinals AS ordinal
            GROUP BY owner, kind
        )
        GROUP BY owner, conversion_type
    )
