-- What campaigns, ad sets or ads cost and earned, ranked by what they earned, from a place in that order on. `only` asks for one,
-- which is then there also when it did nothing; the scope `parent` for what belongs to a campaign or ad set.
WITH
{{part sources}},
{{part sums by credit of model}},
{{part delivered}},
    spent AS
    (
        SELECT
            owner_id,
            sum(d.spend * d.rate) AS spend,
            -- Nothing of it could be converted.
            countIf(d.spend != 0 AND d.rate = 0) > 0 AND countIf(d.spend != 0 AND d.rate != 0) = 0 AS is_spend_unknown,
            sum(d.impressions) AS impressions,
            sum(d.clicks) AS clicks,
            sum(d.reach) AS reach,
            sum(d.messaging_conversations_started) AS conversations,
            sum(d.platform_conversions) AS platform_conversions,
            sum(if(d.platform_value != 0 AND d.rate = 0, NULL, d.platform_value * d.rate)) AS platform_value
        FROM delivered AS d
        GROUP BY owner_id
    ),
    page AS
    (
        SELECT
            u.owner_id AS entity_id,
            sum(u.conversions) AS conversions,
            sum(u.payments) AS payments,
            sum(u.first_payments) AS first_payments,
            sum(u.value) AS value,
            arrayFilter(of_type -> of_type.2 > 0, groupArray((u.conversion_type, u.conversions))) AS by_type,
            sum(u.valued) AS valued,
            sum(u.spend) AS spend,
            max(u.is_spend_unknown) AS is_spend_unknown,
            sum(u.impressions) AS impressions,
            sum(u.clicks) AS clicks,
            sum(u.reach) AS reach,
            sum(u.conversations) AS conversations,
            sum(u.platform_conversions) AS platform_conversions,
            sum(u.platform_value) AS platform_value
        FROM
        (
            SELECT owner_id, conversion_type, conversions, payments, first_payments, value, valued,
                toDecimal256(0, 40) AS spend, false AS is_spend_unknown, 0 AS impressions, 0 AS clicks, NULL AS reach, NULL AS conversations,
                CAST(NULL, 'Nullable(Decimal(76, 20))') AS platform_conversions, CAST(NULL, 'Nullable(Decimal(76, 40))') AS platform_value
            FROM sums
            UNION ALL
            SELECT owner_id, '', 0, 0, 0, 0, 0, spend, is_spend_unknown, impressions, clicks, reach, conversations, platform_conversions, platform_value FROM spent
            UNION ALL
            SELECT {only:UUID}, '', 0, 0, 0, 0, 0, toDecimal256(0, 40), false, 0, 0, NULL, NULL, NULL, NULL
        ) AS u
        WHERE owner_id != nobody AND ({only:UUID} = nobody OR owner_id = {only:UUID})
            {{part listed by scope}}
        GROUP BY u.owner_id
        HAVING value < {below_value:Int64} OR (value = {below_value:Int64} AND toString(entity_id) > {after_id:String})
        ORDER BY value DESC, toString(entity_id)
        LIMIT {limit:UInt32}
    )
SELECT
    p.entity_id AS entity_id,
    p.* EXCEPT (entity_id),
    e.external_id AS external_id,
    e.name AS name,
    if(e.platform != '', e.platform, clicked.platform) AS platform,
    e.status AS status,
    e.objective AS objective,
    e.daily_budget AS daily_budget,
    e.learning_stage_status AS learning_stage_status,
    {{part parent_names by level}}
FROM page AS p
LEFT JOIN entities AS e ON e.entity_id = p.entity_id
{{part parents by level}}
LEFT JOIN (SELECT of_level AS entity_id, any(platform) AS platform FROM sources GROUP BY entity_id) AS clicked ON clicked.entity_id = p.entity_id
ORDER BY p.value DESC, toString(p.entity_id)
SETTINGS do_not_merge_across_partitions_select_final = 1
