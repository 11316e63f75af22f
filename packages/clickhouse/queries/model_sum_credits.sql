-- All that was bought in a period, and what of it entities of the level, other sources and nobody get.
WITH
{{part sources}},
{{part owned}},
    owners AS (SELECT groupArray(source_id) FROM owned)
SELECT
    count() AS purchases,
    sum(value) AS total,
    sum(arraySum((source, share) -> if(has((SELECT * FROM owners), source), share, 0), source_ids, credits[{fitted_model:String}])) AS to_entities,
    sum(arraySum((source, share) -> if(has((SELECT * FROM owners), source), 0, share), source_ids, credits[{fitted_model:String}])) AS to_others,
    sumIf(anyway[{fitted_model:String}], notEmpty(source_ids)) AS would_have_come,
    sumIf(anyway[{fitted_model:String}], empty(source_ids)) AS without_touch
FROM model_credits FINAL
WHERE profile_id = {profile_id:UUID} AND fit_id = {fit_id:UUID}
    AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
