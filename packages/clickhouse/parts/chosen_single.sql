source_ids[{{part place by model}}] AS source_id
