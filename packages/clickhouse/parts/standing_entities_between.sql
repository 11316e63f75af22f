{{part standing_entities_then}}
