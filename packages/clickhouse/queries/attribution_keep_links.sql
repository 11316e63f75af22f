-- Of the links of a whole profile, those of whoever has a conversion in the batch: what the others did is not to be gathered.
INSERT INTO attribution_links (batch_id, profile_id, visitor_id, person_id)
SELECT {batch_id:UUID}, profile_id, visitor_id, person_id FROM attribution_links
WHERE batch_id = {from_batch_id:UUID}
    AND person_id IN (SELECT person_id FROM attribution_conversions WHERE batch_id = {batch_id:UUID})
