-- When a purchase of the period was last recorded or changed; no row if there is none.
SELECT max(applied_at) AS changed_at
FROM attributed_conversions
WHERE profile_id = {profile_id:UUID} AND revenue_type = 'cash' AND has_value
    AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
HAVING count() > 0
