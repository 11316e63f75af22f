-- The conversions of some groups of `conversion_list_groups`, with the compared values.
SELECT
    conversion_id,
    toUInt32(toUInt32(toDate(conversion_time, {time_zone:String})) * {buckets_of_day:UInt32}
        + reinterpretAsUInt32(reverse(unhex(substring(toString(conversion_id), 29, 8)))) % {buckets_of_day:UInt32}) AS bucket,
    toString(value) AS money,
    definition_id,
    notEmpty(touch_ids) AND (arraySum(linear) != value OR arraySum(time_decay) != value OR arraySum(position_based) != value) AS is_off
FROM attributed_conversions FINAL
WHERE profile_id = {profile_id:UUID} AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
    AND bucket IN {buckets:Array(UInt32)}
LIMIT {limit:UInt32}
