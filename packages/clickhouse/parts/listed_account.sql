AND entity_id IN ({{part entities_of_accounts}})
