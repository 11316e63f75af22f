-- The entity that clicks named with this id. Two platforms may use the same id: the first platform by name wins.
SELECT entity_id
FROM clicked_entities
WHERE profile_id = {profile_id:UUID} AND level = {level:String} AND external_id = {external_id:String}
ORDER BY platform
LIMIT 1
