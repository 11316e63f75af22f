-- Spend, delivery and results of each ad with reported delivery in the period, as the ads report counts them, highest
-- spend first.
WITH
{{part sources}},
{{part credits by credit of model}},
{{part delivered}},
    spent AS
    (
        SELECT
            owner_id,
            sum(d.spend * d.rate) AS spend,
            sum(d.impressions) AS impressions,
            sum(d.clicks) AS clicks,
            sum(d.video_views_3s) AS video_views,
            sum(d.platform_conversions) AS platform_conversions,
            sum(d.platform_value * d.rate) AS platform_value,
            sum(d.messaging_conversations_started) AS conversations,
            sum(d.messaging_first_replies) AS first_replies
        FROM delivered AS d
        GROUP BY owner_id
        ORDER BY spend DESC, toString(owner_id)
        LIMIT {limit:UInt32}
    ),
    earned AS
    (
        SELECT
            owner_id,
            sum(by_day.outcomes) AS outcomes,
            sum(by_day.cash_outcomes) AS cash_outcomes,
            sum(by_day.revenue) AS revenue,
            sum(by_day.pipeline_outcomes) AS pipeline_outcomes,
            sum(by_day.pipeline_value) AS pipeline_value,
            sum(by_day.messaging_outcomes) AS messaging_outcomes,
            max(by_day.outcomes) AS outcomes_of_best_day
        FROM
        (
            SELECT
                owner_id,
                toDate(conversion_time, {time_zone:String}) AS day,
                count() AS outcomes,
                countIf(is_cash) AS cash_outcomes,
                sumIf(credit, is_cash) AS revenue,
                countIf(is_pipeline) AS pipeline_outcomes,
                sumIf(credit, is_pipeline) AS pipeline_value,
                countIf(conversion_type = 'messaging_started') AS messaging_outcomes
            FROM
            (
                -- Orders are not counted as pipeline, and messaging conversations have their own metric.
                SELECT *, NOT is_cash AND conversion_type NOT IN ('order_placed', 'messaging_started') AS is_pipeline
                FROM credits
                WHERE owner_id != nil_id
            )
            GROUP BY owner_id, day
        ) AS by_day
        GROUP BY owner_id
    )
SELECT
    s.owner_id AS ad_id,
    s.* EXCEPT owner_id,
    e.* EXCEPT owner_id
FROM spent AS s
LEFT JOIN earned AS e ON e.owner_id = s.owner_id
SETTINGS do_not_merge_across_partitions_select_final = 1
