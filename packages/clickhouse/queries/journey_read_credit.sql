-- The current credit of a conversion's touches. The conversion time is needed because it comes first in the primary
-- key.
SELECT
    value, lookback_days, touch_ids, arrayMap(time -> toFloat64(toUnixTimestamp64Milli(time)), touch_times) AS times,
    CAST({{map place}}, 'Map(String, UInt32)') AS places,
    CAST({{map shares}}, 'Map(String, Array(Int64))') AS shares
FROM attributed_conversions FINAL
WHERE profile_id = {profile_id:UUID} AND conversion_time = {conversion_time:DateTime64(3, 'UTC')} AND conversion_id = {conversion_id:UUID}
