-- What the connections of an account reported. Who owns an entity now holds for every moment.
SELECT entity_id FROM ad_entities FINAL WHERE profile_id = {profile_id:UUID} AND connection_id IN {accounts:Array(UUID)}
