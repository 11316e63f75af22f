-- The given entities that any click named or led to, with their platform.
WITH
{{part sources}}
SELECT of_level AS entity_id, toString(any(platform)) AS platform
FROM sources
WHERE of_level IN {entity_ids:Array(UUID)}
GROUP BY entity_id
