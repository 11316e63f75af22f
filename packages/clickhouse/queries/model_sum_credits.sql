-- The value bought in a period, and its split into entities of the level, other sources and no source.
WITH
{{part sources}},
{{part weighed}},
    bought AS
    (
        SELECT value, source_ids, credits[{fitted_model:String}] AS shares, anyway[{fitted_model:String}] AS rest
        FROM model_credits FINAL
        WHERE profile_id = {profile_id:UUID} AND fit_id = {fit_id:UUID}
            AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
    ),
    given AS
    (
        -- An unknown source has no level and the multiplier 1.
        SELECT
            sumIf(if(w.times = 1 OR w.source_id != c.source_id, c.credit, toInt64(round(c.credit * w.times))) AS credited, w.of_level != nil_id) AS to_entities,
            sumIf(credited, w.of_level = nil_id) AS to_others
        FROM (SELECT source_id, credit FROM bought ARRAY JOIN source_ids AS source_id, shares AS credit) AS c
        LEFT JOIN weighed AS w ON w.source_id = c.source_id
    )
SELECT b.*, g.*
FROM
(
    SELECT
        count() AS purchases,
        sum(value) AS total,
        sumIf(rest, notEmpty(source_ids)) AS would_have_come,
        sumIf(rest, empty(source_ids)) AS without_touch
    FROM bought
) AS b
CROSS JOIN given AS g
