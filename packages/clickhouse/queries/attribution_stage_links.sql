-- Whose browsers are whose, for a replay whose conversions are staged.
INSERT INTO attribution_links (batch_id, profile_id, bucket, visitor_id, person_id)
SELECT {batch_id:UUID}, {profile_id:UUID}, {{part bucket_of_person}}, visitor_id, person_id
FROM input('visitor_id UUID, person_id UUID')
WHERE person_id IN (SELECT person_id FROM attribution_conversions WHERE batch_id = {batch_id:UUID} AND profile_id = {profile_id:UUID})
FORMAT TabSeparated
