-- What each ad that was told of in a stretch of days cost, did, and earned by last touch. Those that cost most come first.
WITH
    toUUID('00000000-0000-0000-0000-000000000000') AS nobody,
    -- The rate of each foreign currency on each day, as lines of three words. One parameter holds 128 KiB, so there are several.
    rates AS
    (
        SELECT words[1] AS currency, toDate(words[2]) AS day, toDecimal256(words[3], 20) AS rate
        FROM
        (
            SELECT splitByChar(' ', arrayJoin(arrayConcat(
                {rates_1:Array(String)}, {rates_2:Array(String)}, {rates_3:Array(String)}, {rates_4:Array(String)},
                {rates_5:Array(String)}, {rates_6:Array(String)}, {rates_7:Array(String)}, {rates_8:Array(String)}))) AS words
        )
    ),
    -- What has no rate is there with a rate of 0, and costs nothing.
    delivered AS
    (
        SELECT
            entity_id AS ad_id,
            sum(d.spend * if(d.currency = {currency:String}, toDecimal256(1, 20), r.rate)) AS spend,
            sum(d.impressions) AS impressions,
            sum(d.clicks) AS clicks,
            sum(d.video_views_3s) AS video_views,
            sum(d.platform_conversions) AS platform_conversions,
            sum(d.platform_value * if(d.currency = {currency:String}, toDecimal256(1, 20), r.rate)) AS platform_value,
            sum(d.messaging_conversations_started) AS conversations,
            sum(d.messaging_first_replies) AS first_replies
        FROM
        (
            SELECT * FROM ad_delivery_daily FINAL
            WHERE profile_id = {profile_id:UUID} AND level = 'ad' AND day >= {first_day:Date} AND day <= {last_day:Date}
        ) AS d
        LEFT JOIN rates AS r ON r.currency = d.currency AND r.day = d.day
        GROUP BY entity_id
        ORDER BY spend DESC, toString(ad_id)
        LIMIT {limit:UInt32}
    ),
    credited AS
    (
        SELECT s.ad_id AS ad_id, c.day AS day, c.conversion_type AS conversion_type, c.revenue_type AS revenue_type, c.value AS value
        FROM
        (
            SELECT source_ids[-1] AS source_id, toDate(conversion_time, {time_zone:String}) AS day, conversion_type, revenue_type, value
            FROM attributed_conversions FINAL
            -- A day more on both sides names what to read; the days themselves are those of the profile.
            WHERE profile_id = {profile_id:UUID}
                AND conversion_time >= toDateTime64({first_day:Date}, 3, 'UTC') - INTERVAL 1 DAY
                AND conversion_time < toDateTime64({last_day:Date}, 3, 'UTC') + INTERVAL 2 DAY
                AND notEmpty(source_ids)
        ) AS c
        INNER JOIN
        (
            SELECT source_id, any(touch_sources.ad_id) AS ad_id FROM touch_sources
            WHERE profile_id = {profile_id:UUID} AND touch_sources.ad_id != nobody
            GROUP BY source_id
        ) AS s ON s.source_id = c.source_id
        WHERE c.day >= {first_day:Date} AND c.day <= {last_day:Date}
    ),
    earned AS
    (
        SELECT
            ad_id,
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
                ad_id,
                day,
                count() AS outcomes,
                countIf(revenue_type = 'cash') AS cash_outcomes,
                sumIf(value, revenue_type = 'cash') AS revenue,
                countIf(revenue_type = 'pipeline' AND conversion_type != 'messaging_started') AS pipeline_outcomes,
                sumIf(value, revenue_type = 'pipeline' AND conversion_type != 'messaging_started') AS pipeline_value,
                countIf(conversion_type = 'messaging_started') AS messaging_outcomes
            FROM credited
            GROUP BY ad_id, day
        ) AS by_day
        GROUP BY ad_id
    )
SELECT
    d.ad_id AS ad_id,
    d.spend AS spend,
    d.impressions AS impressions,
    d.clicks AS clicks,
    d.video_views AS video_views,
    d.platform_conversions AS platform_conversions,
    d.platform_value AS platform_value,
    d.conversations AS conversations,
    d.first_replies AS first_replies,
    e.outcomes AS outcomes,
    e.cash_outcomes AS cash_outcomes,
    e.revenue AS revenue,
    e.pipeline_outcomes AS pipeline_outcomes,
    e.pipeline_value AS pipeline_value,
    e.messaging_outcomes AS messaging_outcomes,
    e.outcomes_of_best_day AS outcomes_of_best_day
FROM delivered AS d
LEFT JOIN earned AS e ON e.ad_id = d.ad_id
SETTINGS do_not_merge_across_partitions_select_final = 1
