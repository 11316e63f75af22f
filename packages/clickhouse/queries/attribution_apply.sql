-- Makes results current from this moment, except those equal to the current row: so a replay without changes writes
-- nothing. A row never starts before the row it replaces, even if the clocks of two workers differ.
INSERT INTO attributed_conversions
SELECT r.* REPLACE (greatest({applied_at:DateTime64(3, 'UTC')}, old.applied_at) AS applied_at)
FROM
(
    SELECT * FROM attribution_results WHERE version = {version:UInt64}
) AS r
LEFT JOIN
(
    SELECT profile_id, conversion_time, conversion_id, content_hash, version, applied_at, toUInt8(1) AS is_there FROM attributed_conversions FINAL
    WHERE (profile_id, conversion_time, conversion_id) IN
        (SELECT profile_id, conversion_time, conversion_id FROM attribution_results WHERE version = {version:UInt64})
) AS old ON r.profile_id = old.profile_id AND r.conversion_time = old.conversion_time AND r.conversion_id = old.conversion_id
WHERE r.version > old.version AND if(r.is_deleted, old.is_there, NOT old.is_there OR r.content_hash != old.content_hash)
