-- What of a batch is still there, bucket by bucket.
SELECT bucket, count() AS conversions FROM attribution_conversions
WHERE batch_id = {batch_id:UUID} AND profile_id = {profile_id:UUID}
GROUP BY bucket
ORDER BY bucket
