-- The currencies of what was told of the days. Without FINAL: one too many does no harm.
SELECT DISTINCT currency
FROM ad_delivery_daily
WHERE profile_id = {profile_id:UUID} AND day >= {first_day:Date} AND day <= {last_day:Date}
