-- Purchases of a period: their number, their value, and the value with at least one touch.
SELECT count() AS purchases, sum(c.value) AS value, sumIf(c.value, notEmpty(source_ids)) AS seen
FROM attributed_conversions AS c FINAL
WHERE profile_id = {profile_id:UUID} AND revenue_type = 'cash' AND has_value
    AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
SETTINGS do_not_merge_across_partitions_select_final = 1
