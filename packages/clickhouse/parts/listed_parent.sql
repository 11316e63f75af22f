-- What belongs to the parent, as its platform tells it or as links named both.
AND entity_id IN
(
    SELECT entity_id FROM told_entities
    WHERE campaign_id = {parent:UUID} OR ad_set_id = {parent:UUID}
        OR ad_set_id IN (SELECT entity_id FROM told_entities WHERE campaign_id = {parent:UUID})
    UNION DISTINCT
    SELECT of_level FROM sources WHERE of_campaign = {parent:UUID} OR of_ad_set = {parent:UUID}
)
