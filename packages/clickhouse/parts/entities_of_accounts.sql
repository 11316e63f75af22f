-- The entities reported by the connections of an account. Current ownership applies to every moment.
SELECT entity_id FROM ad_entities FINAL WHERE profile_id = {profile_id:UUID} AND connection_id IN {accounts:Array(UUID)}
