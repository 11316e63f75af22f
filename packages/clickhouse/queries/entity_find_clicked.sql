-- What clicks named so. Two platforms may use one id: then the first by the platform's name.
SELECT entity_id
FROM clicked_entities
WHERE profile_id = {profile_id:UUID} AND level = {level:String} AND external_id = {external_id:String}
ORDER BY platform
LIMIT 1
