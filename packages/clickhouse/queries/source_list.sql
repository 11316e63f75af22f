-- Sources with their channel, and the platform's ids and names of their campaign, ad set and ad; an unreported name
-- is empty.
WITH
{{part sources}}
SELECT
    s.source_id AS source_id,
    s.channel AS channel,
    s.source AS source,
    s.medium AS medium,
    s.platform AS platform,
    s.of_level AS entity_id,
    campaign.external_id AS campaign_external_id,
    ad_set.external_id AS ad_set_external_id,
    ad.external_id AS ad_external_id,
    campaign.name AS campaign_name,
    ad_set.name AS ad_set_name,
    ad.name AS ad_name
FROM (SELECT * FROM sources WHERE source_id IN arrayMap(id -> toUInt64(id), {source_ids:Array(String)})) AS s
LEFT JOIN entities AS campaign ON campaign.entity_id = s.of_campaign
LEFT JOIN entities AS ad_set ON ad_set.entity_id = s.of_ad_set
LEFT JOIN entities AS ad ON ad.entity_id = s.of_ad
