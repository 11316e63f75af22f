-- Purchases of a period with their paths. Touch times are days before the purchase.
SELECT
    conversion_time,
    conversion_id,
    value,
    lookback_days,
    source_ids,
    arrayMap(at -> (toUnixTimestamp64Milli(conversion_time) - toUnixTimestamp64Milli(at)) / 86400000, touch_times) AS ages,
    cityHash64(person_id) % 50 AS part
FROM attributed_conversions FINAL
WHERE profile_id = {profile_id:UUID} AND revenue_type = 'cash' AND has_value
    AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
ORDER BY conversion_time, conversion_id
SETTINGS do_not_merge_across_partitions_select_final = 1
