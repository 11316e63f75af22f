-- Spend and results of campaigns, ad sets or ads, highest value first, after a cursor. `only` selects one; the scope
-- `parent` selects children of a campaign or ad set. Names are read by another query: ClickHouse plans two small
-- queries in half the time of a large one.
WITH
{{part sources}},
{{part sums by credit of model}},
{{part delivered}},
    spent AS
    (
        SELECT
            owner_id,
            sum(d.spend * d.rate) AS spend,
            -- None of the spend could be converted.
            countIf(d.spend != 0 AND d.rate = 0) > 0 AND countIf(d.spend != 0 AND d.rate != 0) = 0 AS is_spend_unknown,
            sum(d.impressions) AS impressions,
            sum(d.clicks) AS clicks,
            sum(d.reach) AS reach,
            sum(d.messaging_conversations_started) AS conversations,
            sum(d.platform_conversions) AS platform_conversions,
            if(countIf(d.platform_value != 0 AND d.rate = 0) > 0 AND countIf(d.platform_value != 0 AND d.rate != 0) = 0, NULL,
                sum(d.platform_value * d.rate)) AS platform_value
        FROM delivered AS d
        GROUP BY owner_id
    ),
    earned AS
    (
        SELECT
            owner_id,
            sum(s.conversions) AS conversions,
            sum(s.payments) AS payments,
            sum(s.first_payments) AS first_payments,
            sum(s.value) AS value,
            groupArray((s.conversion_type, s.conversions)) AS by_type,
            sum(s.valued) AS valued
        FROM sums AS s
        GROUP BY owner_id
    )
SELECT
    if(e.owner_id = nil_id, d.owner_id, e.owner_id) AS entity_id,
    e.* EXCEPT owner_id,
    d.* EXCEPT owner_id
FROM earned AS e
FULL JOIN spent AS d ON d.owner_id = e.owner_id
-- Filter after the join: before it, ClickHouse would evaluate the condition for every touch.
WHERE entity_id != nil_id
    AND ({only:UUID} = nil_id OR entity_id = {only:UUID})
    {{part listed by scope}}
    AND (value < {below_value:Int64} OR (value = {below_value:Int64} AND toString(entity_id) > {after_id:String}))
ORDER BY value DESC, toString(entity_id)
LIMIT {limit:UInt32}
SETTINGS do_not_merge_across_partitions_select_final = 1
