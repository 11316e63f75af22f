LEFT JOIN entities AS ad_set ON ad_set.entity_id = e.ad_set_id
LEFT JOIN entities AS campaign ON campaign.entity_id = e.campaign_id
