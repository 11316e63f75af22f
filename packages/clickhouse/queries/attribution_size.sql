-- The number of touches to replay, and the memory of the server that will do it.
SELECT
    count() AS touches,
    (SELECT toUInt64(value) FROM system.server_settings WHERE name = 'max_server_memory_usage') AS memory
FROM touches
WHERE profile_id = {profile_id:UUID}
