-- After the last bucket of a replay: writes tombstones for rows that do not exist in the ledger.
INSERT INTO attribution_results (profile_id, conversion_time, conversion_id, version, is_deleted, cause, cause_ref)
SELECT profile_id, conversion_time, conversion_id, {version:UInt64}, 1, {cause:String}, {cause_ref:UUID}
FROM attributed_conversions FINAL
WHERE profile_id = {profile_id:UUID}
    AND (conversion_time, conversion_id) NOT IN
    (
        SELECT conversion_time, conversion_id FROM attribution_conversions
        WHERE batch_id = {batch_id:UUID} AND profile_id = {profile_id:UUID} AND is_eligible
    )
