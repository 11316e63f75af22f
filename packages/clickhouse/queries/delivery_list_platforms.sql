-- Spend and platform-reported conversions by platform, and the last day with reported delivery at any time.
WITH
{{part sources}},
{{part delivered}}
SELECT
    last.platform AS platform,
    last.through AS through,
    p.spend AS spend,
    p.is_spend_unknown AS is_spend_unknown,
    p.platform_conversions AS platform_conversions,
    p.platform_value AS platform_value
FROM
(
    SELECT platform, max(day) AS through FROM {{part told_delivery by moment}} WHERE profile_id = {profile_id:UUID} GROUP BY platform
) AS last
LEFT JOIN
(
    SELECT
        platform,
        sum(d.spend * d.rate) AS spend,
        -- None of the spend could be converted.
        countIf(d.spend != 0 AND d.rate = 0) > 0 AND countIf(d.spend != 0 AND d.rate != 0) = 0 AS is_spend_unknown,
        sum(d.platform_conversions) AS platform_conversions,
        if(countIf(d.platform_value != 0 AND d.rate = 0) > 0 AND countIf(d.platform_value != 0 AND d.rate != 0) = 0, NULL,
            sum(d.platform_value * d.rate)) AS platform_value
    FROM delivered AS d
    GROUP BY platform
) AS p ON p.platform = last.platform
