-- The day of UTC of the earliest conversion of some days; the beginning of time where there is none.
SELECT toString(toDate(min(conversion_time))) AS day, count() AS conversions
FROM attributed_conversions
WHERE profile_id = {profile_id:UUID} AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
