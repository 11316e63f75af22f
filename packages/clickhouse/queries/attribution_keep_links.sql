-- Copies the profile's visitor links of people with a conversion in the batch, so that other people's touches are not
-- read.
INSERT INTO attribution_links (batch_id, profile_id, visitor_id, person_id)
SELECT {batch_id:UUID}, profile_id, visitor_id, person_id FROM attribution_links
WHERE batch_id = {from_batch_id:UUID}
    AND person_id IN (SELECT person_id FROM attribution_conversions WHERE batch_id = {batch_id:UUID})
