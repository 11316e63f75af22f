'' AS ad_set_external_id,
'' AS ad_set_name,
'' AS campaign_external_id,
'' AS campaign_name,
'' AS campaign_objective
