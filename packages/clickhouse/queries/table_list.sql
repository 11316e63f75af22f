SELECT name, engine, formatQuery(create_table_query) AS definition
FROM system.tables
WHERE database = currentDatabase() AND NOT is_temporary
ORDER BY name
