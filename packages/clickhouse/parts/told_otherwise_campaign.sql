WHERE (t.level = 'campaign' OR (t.owner_id, t.day) NOT IN (
    SELECT entity_id, day FROM {{part known_delivery by moment}}
    WHERE profile_id = {profile_id:UUID} AND level = 'campaign' AND day >= {first_day:Date} AND day <= {last_day:Date}))
AND (t.level != 'ad' OR (t.ad_set_id, t.day) NOT IN (
    SELECT entity_id, day FROM {{part known_delivery by moment}}
    WHERE profile_id = {profile_id:UUID} AND level = 'ad_set' AND day >= {first_day:Date} AND day <= {last_day:Date}))
