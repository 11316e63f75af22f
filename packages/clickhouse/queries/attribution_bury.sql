-- Writes a tombstone for each conversion of the batch that was removed or moved to another time.
INSERT INTO attribution_results (profile_id, conversion_time, conversion_id, version, is_deleted, cause, cause_ref)
SELECT DISTINCT profile_id, conversion_time, conversion_id, {version:UInt64}, 1, cause, cause_ref
FROM attribution_conversions
WHERE batch_id = {batch_id:UUID} AND NOT is_eligible
