{{part conversions}},
{{part numbered_owners}},
    -- One row for every conversion of the period and owner that has a share in it under the model, including the nil
    -- owner, so no value is lost. `is_whole`: the owner has the only share. Every touch considered by these models
    -- has a weight above zero, but its share may still be worth nothing.
    credits AS
    (
        SELECT
            numbered_owners[owner] AS owner_id,
            credit,
            length(owners) = 1 AS is_whole,
            * EXCEPT (value, source_ids, shares, owners_of_path, owners, sums, owner, credit)
        FROM
        (
            SELECT
                *,
                arrayMap(source -> transform(source, numbered_sources, numbers_of_owners, toUInt32(0)), source_ids) AS owners_of_path,
                if(empty(source_ids), [toUInt32(0)], arrayDistinct(owners_of_path)) AS owners,
                if(empty(source_ids), [value], arrayMap(one -> arraySum((share, whose) -> if(whose = one, share, 0), shares, owners_of_path), owners)) AS sums
            FROM conversions
        )
        ARRAY JOIN owners AS owner, sums AS credit
    )
