-- What the columns hold of each day, in 64 groups by id: how many, their money, a sum of hashes of what they say, and how many do not credit all of their value.
SELECT
    toString(toDate(conversion_time, {time_zone:String})) AS day,
    reinterpretAsUInt8(substring(MD5(toString(conversion_id)), 1, 1)) % 64 AS bucket,
    toString(count()) AS conversions,
    toString(sum(value)) AS money,
    toString(sum(toUInt128(reinterpretAsUInt64(reverse(concat('\0\0', substring(
        MD5(concat(toString(conversion_id), '|', toString(value), '|', toString(definition_id))), 1, 6))))))) AS hash,
    toUInt32(countIf(notEmpty(touch_ids) AND (arraySum(linear) != value OR arraySum(time_decay) != value OR arraySum(position_based) != value))) AS off
FROM attributed_conversions FINAL
WHERE profile_id = {profile_id:UUID} AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
GROUP BY day, bucket
