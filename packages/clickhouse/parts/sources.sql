    -- Stands for no campaign, ad set or ad, or one that is not known.
    toUUID('00000000-0000-0000-0000-000000000000') AS nobody,
    told_entities AS
    (
        SELECT
            entity_id, platform, external_id, name, status, objective, daily_budget, learning_stage_status, campaign_id, ad_set_id
        FROM {{part standing_entities by moment}} WHERE profile_id = {profile_id:UUID}
    ),
    -- Of what only clicks named nothing is known but what the platform calls it.
    entities AS
    (
        SELECT * FROM told_entities
        UNION ALL
        SELECT DISTINCT entity_id, platform, external_id, '', '', '', NULL, '', nobody, nobody
        FROM clicked_entities
        WHERE profile_id = {profile_id:UUID} AND entity_id NOT IN (SELECT entity_id FROM told_entities)
    ),
    -- What each source id stands for, with the campaign and ad set that its link did not name but its ad belongs to. What the link
    -- names itself holds: it was so when somebody clicked.
    sources AS
    (
        SELECT
            s.source_id AS source_id,
            s.channel AS channel,
            s.source AS source,
            s.medium AS medium,
            s.platform AS platform,
            s.ad_id AS of_ad,
            if(s.ad_set_id != nobody, s.ad_set_id, ad.ad_set_id) AS of_ad_set,
            multiIf(s.campaign_id != nobody, s.campaign_id, ad.campaign_id != nobody, ad.campaign_id, ad_set.campaign_id) AS of_campaign,
            multiIf({level:String} = 'ad', of_ad, {level:String} = 'ad_set', of_ad_set, of_campaign) AS of_level
        FROM (SELECT * FROM touch_sources FINAL WHERE profile_id = {profile_id:UUID}) AS s
        -- Whose parents are known was told.
        LEFT JOIN told_entities AS ad ON ad.entity_id = s.ad_id
        LEFT JOIN told_entities AS ad_set ON ad_set.entity_id = s.ad_set_id
    )
