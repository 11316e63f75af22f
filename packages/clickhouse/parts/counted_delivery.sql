    -- The delivery rows that make up a figure, optionally of one platform or account.
    counted AS
    (
        SELECT
            owner_id, day, entity_id, name, currency, rate,
            multiIf(
                {field:String} = 'spend', toNullable(toDecimal256(spend, 20)),
                {field:String} = 'platform_conversions', toNullable(toDecimal256(platform_conversions, 20)),
                {field:String} = 'platform_conversion_value', toNullable(toDecimal256(platform_value, 20)),
                {field:String} = 'impressions', toNullable(toDecimal256(impressions, 20)),
                {field:String} = 'clicks', toNullable(toDecimal256(clicks, 20)),
                {field:String} = 'messaging_conversations_started', toNullable(toDecimal256(messaging_conversations_started, 20)),
                {field:String} = 'messaging_first_replies', toNullable(toDecimal256(messaging_first_replies, 20)),
                NULL) AS amount,
            if({field:String} IN ('spend', 'platform_conversion_value'), rate, toDecimal256(1, 20)) AS factor
        FROM delivered
        WHERE ({is_everything:Bool} OR owner_id = {entity_id:UUID})
            AND ({platform:String} = '' OR platform = {platform:String})
            {{part delivered by scope}}
            AND amount IS NOT NULL
    )
