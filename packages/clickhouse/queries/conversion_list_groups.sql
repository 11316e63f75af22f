-- Conversions by day, definition and bucket of ids, to compare with the ledger: count and money, of all and of the
-- settled ones; of those also a checksum of ids and values, and how many have credits that do not add up to their
-- value. Conversions that are marked or were written after `since` are not settled; the first ten of each group are
-- listed.
SELECT
    toUInt32(toUInt32(toDate(conversion_time, {time_zone:String})) * {buckets_of_day:UInt32} + mark % {buckets_of_day:UInt32}) AS bucket,
    definition_id,
    toString(count()) AS conversions,
    toString(sum(value)) AS money,
    toString(countIf(is_settled)) AS settled_conversions,
    toString(sumIf(value, is_settled)) AS settled_money,
    toString(sumIf(toInt128(mark * ((value + 1) % 2147483647)), is_settled)) AS sum,
    toUInt32(countIf(is_off AND is_settled)) AS off,
    groupArrayIf(10)((conversion_id, toString(value), is_off), NOT is_settled) AS moving
FROM
(
    SELECT
        conversion_time,
        conversion_id,
        toInt64(reinterpretAsUInt32(reverse(unhex(substring(toString(conversion_id), 29, 8))))) AS mark,
        value,
        definition_id,
        notEmpty(touch_ids) AND (arraySum(linear) != value OR arraySum(time_decay) != value OR arraySum(position_based) != value) AS is_off,
        applied_at < {since:DateTime64(3, 'UTC')} AND mark NOT IN {marked:Array(UInt32)} AS is_settled
    FROM attributed_conversions FINAL
    WHERE profile_id = {profile_id:UUID} AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
)
GROUP BY bucket, definition_id
