-- Profiles with enough purchases in a period for a fit, and when one of them was last recorded or changed. Replaced
-- rows count until they are merged; the fit itself counts exactly.
SELECT profile_id, max(applied_at) AS changed_at
FROM attributed_conversions
WHERE revenue_type = 'cash' AND has_value AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
GROUP BY profile_id
HAVING uniq(conversion_id) >= {least:UInt32}
