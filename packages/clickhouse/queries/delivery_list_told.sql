-- What each platform's ads cost by day, in the currency that it was told in, and of how many rows that is the sum.
WITH
{{part sources}},
{{part delivered}}
SELECT d.platform AS platform, toString(d.day) AS day, d.currency AS currency, sum(d.spend) AS spend, count() AS rows
FROM delivered AS d
GROUP BY platform, day, currency
