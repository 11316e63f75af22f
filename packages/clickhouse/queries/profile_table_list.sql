-- Every table that stores rows of profiles on this node, whatever it is called: none can be forgotten when a profile is deleted.
SELECT c.table AS name
FROM system.columns AS c
INNER JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
WHERE c.database = currentDatabase() AND c.name = 'profile_id' AND t.engine LIKE '%MergeTree'
ORDER BY name
