-- The staged conversions of a batch, by bucket.
SELECT toUInt16(intDiv(bucket * {buckets:UInt32}, 65536)) AS nth, count() AS conversions, max(bucket) AS last_hash
FROM attribution_conversions
WHERE batch_id = {batch_id:UUID} AND profile_id = {profile_id:UUID}
GROUP BY nth
ORDER BY nth
