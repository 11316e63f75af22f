-- Conversions of some groups of a day, as `conversion_list_groups` has them, with what is compared.
SELECT
    conversion_id,
    toString(value) AS money,
    definition_id,
    notEmpty(touch_ids) AND (arraySum(linear) != value OR arraySum(time_decay) != value OR arraySum(position_based) != value) AS is_off
FROM attributed_conversions FINAL
WHERE profile_id = {profile_id:UUID} AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
    AND toString(toDate(conversion_time, {time_zone:String})) = {day:String}
    AND has({buckets:Array(UInt8)}, reinterpretAsUInt8(substring(MD5(toString(conversion_id)), 1, 1)) % 64)
LIMIT {limit:UInt32}
