-- Every table that stores rows of profiles on this node, found by its column, so that deleting a profile cannot miss
-- a new table.
SELECT c.table AS name
FROM system.columns AS c
INNER JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
WHERE c.database = currentDatabase() AND c.name = 'profile_id' AND t.engine LIKE '%MergeTree'
ORDER BY name
