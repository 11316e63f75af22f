    -- Of what was delivered, what a figure is made of.
    counted AS
    (
        SELECT
            owner_id, day, entity_id, name, currency, rate,
            if({field:String} = 'spend', toNullable(spend), if({field:String} = 'platform_conversions', platform_conversions, platform_value)) AS amount,
            if({field:String} = 'platform_conversions', toDecimal256(1, 20), rate) AS factor
        FROM delivered
        WHERE ({is_everything:Bool} OR owner_id = {entity_id:UUID}) AND amount IS NOT NULL
    )
