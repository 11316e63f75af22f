{{part standing_delivery_then}}
