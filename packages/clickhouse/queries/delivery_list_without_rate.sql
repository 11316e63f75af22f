-- Spend and platform-reported conversion value in currencies without a rate on the day; no figure includes them.
WITH
{{part sources}},
{{part delivered}}
SELECT
    currency,
    countIf(d.spend != 0) AS days,
    sum(d.spend) AS amount,
    countIf(d.platform_value != 0) AS value_days,
    ifNull(sum(d.platform_value), 0) AS platform_value
FROM delivered AS d
WHERE rate = 0 AND (d.spend != 0 OR d.platform_value != 0)
GROUP BY currency
ORDER BY currency
