-- Conversions by key with all columns, their path, and the credit of each touch under the model.
SELECT
    conversion_id, conversion_time, conversion_type, revenue_type, value, has_value, currency, is_first_payment, lookback_days,
    person_id, is_anonymous, touch_count, touch_ids, touch_times, source_ids,
    {{part earned by credit of model}} AS credits
FROM {{part standing_conversions by moment}}
WHERE profile_id = {profile_id:UUID}
    AND conversion_time IN {times:Array(DateTime64(3, 'UTC'))}
    AND conversion_id IN {ids:Array(UUID)}
ORDER BY conversion_time DESC, conversion_id DESC
SETTINGS do_not_merge_across_partitions_select_final = 1
