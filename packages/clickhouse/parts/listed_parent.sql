-- Children of the parent, as reported by the platform or named together in a link.
AND entity_id IN
(
    SELECT entity_id FROM reported_entities
    WHERE campaign_id = {parent:UUID} OR ad_set_id = {parent:UUID}
        OR ad_set_id IN (SELECT entity_id FROM reported_entities WHERE campaign_id = {parent:UUID})
    UNION DISTINCT
    SELECT of_level FROM sources WHERE of_campaign = {parent:UUID} OR of_ad_set = {parent:UUID}
)
