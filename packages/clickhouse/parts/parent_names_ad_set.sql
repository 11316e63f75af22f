'' AS ad_set_external_id,
'' AS ad_set_name,
campaign.external_id AS campaign_external_id,
campaign.name AS campaign_name,
campaign.objective AS campaign_objective
