-- What a fitted model says would have come anyway, with a path or without: in all days of a fit and in some of them.
SELECT
    sum(anyway[{fitted_model:String}]) AS of_all,
    sumIf(anyway[{fitted_model:String}], conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}) AS of_some
FROM model_credits FINAL
WHERE profile_id = {profile_id:UUID} AND fit_id = {fit_id:UUID}
