-- Those of the entities of a level that any click named or led to.
WITH
{{part sources}}
SELECT DISTINCT of_level AS entity_id FROM sources WHERE of_level IN {entity_ids:Array(UUID)}
