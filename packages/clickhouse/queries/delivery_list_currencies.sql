-- The currencies of what was told of the days. Without FINAL: one too many does no harm.
SELECT DISTINCT currency
FROM {{part told_delivery by moment}}
WHERE profile_id = {profile_id:UUID} AND day >= {first_day:Date} AND day <= {last_day:Date}
