SELECT count() AS touches FROM touches WHERE profile_id = {profile_id:UUID}
