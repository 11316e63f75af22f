{{part conversions}},
    -- One row for every conversion of the period, with the owner credited under the model or the nil owner, so no
    -- value is lost.
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
