-- What a conversion's touches earned, as it stands now. It is found by its time, which comes first in the key.
SELECT
    value, lookback_days, touch_ids, arrayMap(time -> toFloat64(toUnixTimestamp64Milli(time)), touch_times) AS times,
    last_non_direct, linear, time_decay, position_based
FROM attributed_conversions FINAL
WHERE profile_id = {profile_id:UUID} AND conversion_time = {conversion_time:DateTime64(3, 'UTC')} AND conversion_id = {conversion_id:UUID}
