-- Conversions of the batch that are none any longer, or stand under another time now: a tombstone each, if there is a row to bury.
INSERT INTO attribution_results (profile_id, conversion_time, conversion_id, version, is_deleted, cause, cause_ref)
SELECT DISTINCT profile_id, conversion_time, conversion_id, {version:UInt64}, 1, cause, cause_ref
FROM attribution_conversions
WHERE batch_id = {batch_id:UUID} AND NOT is_eligible
