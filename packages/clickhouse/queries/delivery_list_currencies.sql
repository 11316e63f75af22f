-- The currencies of delivery reported for the days. No FINAL: a superfluous currency is harmless.
SELECT DISTINCT currency
FROM {{part told_delivery by moment}}
WHERE profile_id = {profile_id:UUID} AND day >= {first_day:Date} AND day <= {last_day:Date}
