-- Before results replace current rows: copies the current rows into the history, if the new results differ.
INSERT INTO attribution_history
SELECT old.* REPLACE (r.cause_ref AS replaced_ref), r.version, r.cause, greatest({applied_at:DateTime64(3, 'UTC')}, old.applied_at)
FROM
(
    SELECT * FROM attributed_conversions FINAL
    WHERE (profile_id, conversion_time, conversion_id) IN
        (SELECT profile_id, conversion_time, conversion_id FROM attribution_results WHERE version = {version:UInt64})
) AS old
INNER JOIN
(
    SELECT profile_id, conversion_time, conversion_id, version, is_deleted, content_hash, cause, cause_ref FROM attribution_results
    WHERE version = {version:UInt64}
) AS r ON r.profile_id = old.profile_id AND r.conversion_time = old.conversion_time AND r.conversion_id = old.conversion_id
WHERE r.version > old.version AND (r.content_hash != old.content_hash OR r.is_deleted)
