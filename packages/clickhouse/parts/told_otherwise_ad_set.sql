WHERE t.level = 'ad_set' OR (t.owner_id, t.day) NOT IN (
    SELECT entity_id, day FROM {{part known_delivery by moment}}
    WHERE profile_id = {profile_id:UUID} AND level = 'ad_set' AND day >= {first_day:Date} AND day <= {last_day:Date})
