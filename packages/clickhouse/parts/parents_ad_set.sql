LEFT JOIN entities AS campaign ON campaign.entity_id = e.campaign_id
