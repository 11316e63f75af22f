-- The UTC day of the earliest conversion of a period; 1970-01-01 if there is none.
SELECT toString(toDate(min(conversion_time))) AS day, count() AS conversions
FROM attributed_conversions
WHERE profile_id = {profile_id:UUID} AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
