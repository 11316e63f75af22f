-- The days on which ads were billed in another currency than the reporting currency. No FINAL: a superfluous pair is
-- harmless.
SELECT DISTINCT currency, day
FROM ad_delivery_daily
WHERE profile_id = {profile_id:UUID} AND level = 'ad' AND day >= {first_day:Date} AND day <= {last_day:Date}
    AND currency != {currency:String}
ORDER BY currency, day
LIMIT {limit:UInt32}
