{{part source by model}} AS source_id
