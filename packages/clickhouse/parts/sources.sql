    -- The nil UUID: no campaign, ad set or ad, or an unknown one.
    toUUID('00000000-0000-0000-0000-000000000000') AS nil_id,
    reported_entities AS
    (
        SELECT
            entity_id, platform, external_id, name, status, objective, daily_budget, learning_stage_status, campaign_id, ad_set_id
        FROM {{part standing_entities by moment}} WHERE profile_id = {profile_id:UUID}
    ),
    -- For entities known only from clicks, only the platform's id is available.
    entities AS
    (
        SELECT * FROM reported_entities
        UNION ALL
        SELECT DISTINCT entity_id, platform, external_id, '', '', '', NULL, '', nil_id, nil_id
        FROM clicked_entities
        WHERE profile_id = {profile_id:UUID} AND entity_id NOT IN (SELECT entity_id FROM reported_entities)
    ),
    -- The channel and entities of each source id. The campaign and ad set come from the link itself, as valid at the time of the
    -- click; if it names none, they are the parents of its ad.
    sources AS
    (
        SELECT
            s.source_id AS source_id,
            s.channel AS channel,
            s.source AS source,
            s.medium AS medium,
            s.platform AS platform,
            s.ad_id AS of_ad,
            if(s.ad_set_id != nil_id, s.ad_set_id, ad.ad_set_id) AS of_ad_set,
            multiIf(s.campaign_id != nil_id, s.campaign_id, ad.campaign_id != nil_id, ad.campaign_id, ad_set.campaign_id) AS of_campaign,
            multiIf({level:String} = 'ad', of_ad, {level:String} = 'ad_set', of_ad_set, of_campaign) AS of_level
        FROM (SELECT * FROM touch_sources FINAL WHERE profile_id = {profile_id:UUID}) AS s
        -- Only reported entities have known parents.
        LEFT JOIN reported_entities AS ad ON ad.entity_id = s.ad_id
        LEFT JOIN reported_entities AS ad_set ON ad_set.entity_id = s.ad_set_id
    )
