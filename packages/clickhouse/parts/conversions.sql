    -- Whose a source is: an entity of the level; or, for totals of platforms, a platform by a number made of its name, once for what
    -- names an entity and once for paid clicks that name no ad, which is the same at every level. A source that is nobody's is not here.
    owned AS
    (
        SELECT
            source_id,
            reinterpretAsUUID(sipHash128(platform)) AS of_platform,
            multiIf(
                {owners:String} = 'entities', of_level,
                {owners:String} = 'platforms', if(of_level = nobody, nobody, of_platform),
                of_ad = nobody AND platform != '' AND medium = 'paid', of_platform,
                nobody) AS owner
        FROM sources
        WHERE owner != nobody
    ),
    conversions AS
    (
        SELECT
            conversion_id,
            conversion_time,
            conversion_type,
            revenue_type = 'cash' AS is_cash,
            -- Deposit and balance are one purchase, named by its earliest payment: it counts there, and nowhere twice.
            is_first_payment AND purchase_id = conversion_id AS is_new_purchase,
            value,
            has_value,
            length(source_ids) AS path_length,
            source_ids,
            {{part chosen by credit of model}}
        FROM attributed_conversions FINAL
        WHERE profile_id = {profile_id:UUID}
            AND conversion_time >= {from:DateTime64(3, 'UTC')}
            AND conversion_time < {until:DateTime64(3, 'UTC')}
    )
