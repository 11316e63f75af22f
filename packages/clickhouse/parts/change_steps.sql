    -- Each step by which a conversion changed its contribution to the figure, or replaced another conversion.
    steps AS
    (
        SELECT
            at, conversion_id, why, ref,
            any(conversion_time) AS conversion_time,
            sumIf(amount, sign < 0) AS before,
            sumIf(amount, sign > 0) AS after
        FROM (SELECT *, if({is_value:Bool}, credit, toInt64(1)) AS amount FROM chosen)
        GROUP BY at, conversion_id, why, ref
        HAVING before != after
    )
