-- Names and parents of campaigns, ad sets or ads: as reported by the platform, or, for entities known only from
-- clicks, as named in the click.
SELECT
    entity_id, toString(platform) AS platform, external_id, name, toString(status) AS status, toString(objective) AS objective,
    toString(currency) AS currency, daily_budget, connection_id, toString(learning_stage_status) AS learning_stage_status, campaign_id, ad_set_id, true AS is_told
FROM {{part standing_entities by moment}}
WHERE profile_id = {profile_id:UUID} AND entity_id IN {entity_ids:Array(UUID)}
UNION ALL
SELECT
    entity_id, toString(any(platform)), any(external_id), '', '', '', '', NULL, toUUID('00000000-0000-0000-0000-000000000000'), '',
    toUUID('00000000-0000-0000-0000-000000000000'), toUUID('00000000-0000-0000-0000-000000000000'), false
FROM clicked_entities
WHERE profile_id = {profile_id:UUID} AND entity_id IN {entity_ids:Array(UUID)}
GROUP BY entity_id
