{{part conversions}},
    -- A row for every conversion of the period, with whoever earned all of it under the model, or nobody: so nothing is lost.
    credits AS
    (
        SELECT
            o.owner AS owner_id,
            c.value AS credit,
            true AS is_whole,
            c.* EXCEPT (value, source_ids, source_id)
        FROM conversions AS c
        ANY LEFT JOIN owned AS o ON o.source_id = c.source_id
    )
