-- Those of the entities of a level that any click named or led to, and on which platform it was.
WITH
{{part sources}}
SELECT of_level AS entity_id, toString(any(platform)) AS platform
FROM sources
WHERE of_level IN {entity_ids:Array(UUID)}
GROUP BY entity_id
