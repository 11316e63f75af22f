-- The value that a fitted model counts as organic, with or without a path: over all days of the fit and over the
-- requested days.
SELECT
    sum(anyway[{fitted_model:String}]) AS of_all,
    sumIf(anyway[{fitted_model:String}], conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}) AS of_some
FROM model_credits FINAL
WHERE profile_id = {profile_id:UUID} AND fit_id = {fit_id:UUID}
