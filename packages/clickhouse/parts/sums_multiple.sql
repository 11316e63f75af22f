{{part conversions}},
{{part numbered_owners}},
    -- What each owner earned under the model, by type of conversion. A conversion counts once for everybody who has a share in it: at the
    -- first of their touches.
    sums AS
    (
        SELECT
            numbered_owners[owner] AS owner_id,
            * EXCEPT owner
        FROM
        (
            SELECT
                owner,
                conversion_type,
                countIf(is_first) AS conversions,
                countIf(is_first AND is_cash) AS payments,
                countIf(is_first AND is_cash AND is_new_purchase) AS first_payments,
                sumIf(share, is_cash) AS value,
                countIf(is_first AND is_cash AND has_value) AS valued,
                countIf(is_first AND is_whole) AS whole_conversions,
                countIf(is_first AND is_whole AND is_cash) AS whole_payments,
                countIf(is_first AND is_whole AND is_cash AND is_new_purchase) AS whole_first_payments
            FROM
            (
                SELECT
                    conversion_type, is_cash, is_new_purchase, has_value,
                    if(empty(source_ids), [value], shares) AS shares_of_path,
                    if(empty(source_ids), [toUInt32(0)], arrayMap(source -> transform(source, numbered_sources, numbers_of_owners, toUInt32(0)), source_ids)) AS owners_of_path,
                    -- Which of its owner's touches on the path each is. Where the last one is as many as there are, all are one owner's.
                    arrayEnumerateUniq(owners_of_path) AS turns,
                    turns[-1] = length(turns) AS is_whole
                FROM conversions
            )
            ARRAY JOIN owners_of_path AS owner, shares_of_path AS share, arrayMap(turn -> turn = 1, turns) AS is_first
            GROUP BY owner, conversion_type
        )
    )
