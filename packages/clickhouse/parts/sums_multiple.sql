{{part owned}},
{{part numbered_owners}},
    -- Types of conversions by small numbers, too.
    (SELECT groupUniqArray(toString(conversion_type)) FROM ({{part known_types by moment}})) AS types,
    -- What each owner earned under the model, by type of conversion. A conversion counts once for everybody who has a share in it: at the
    -- first of their touches. Every touch becomes a row, so a row is as small as can be: all that is counted apart is one number. What has no
    -- touch at all is nobody's, and not here: sums_of_all has it.
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
                countIf(turn = 1) AS firsts,
                sum(share) AS earned
            FROM
            (
                SELECT
                    {{part shares by model}} AS shares,
                    arrayMap(source -> transform(source, numbered_sources, numbers_of_owners, toUInt32(0)), source_ids) AS owners_of_path,
                    -- Which of its owner's touches on the path each is. Where the last one is as many as there are, all are one owner's.
                    arrayEnumerateUniq(owners_of_path) AS turns,
                    toUInt32(bitShiftLeft(indexOf(types, toString(conversion_type)), 4)
                        + (revenue_type = 'cash')
                        + 2 * (is_first_payment AND purchase_id = conversion_id)
                        + 4 * has_value
                        + 8 * (turns[-1] = length(turns))) AS kind
                FROM {{part standing_conversions by moment}}
                WHERE profile_id = {profile_id:UUID}
                    AND conversion_time >= {from:DateTime64(3, 'UTC')}
                    AND conversion_time < {until:DateTime64(3, 'UTC')}
            )
            ARRAY JOIN owners_of_path AS owner, shares AS share, turns AS turn
            GROUP BY owner, kind
        )
        GROUP BY owner, conversion_type
    )
