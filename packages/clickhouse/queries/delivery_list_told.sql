-- Reported spend by platform and day in the reported currency, and the number of rows it sums.
WITH
{{part sources}},
{{part delivered}}
SELECT d.platform AS platform, toString(d.day) AS day, d.currency AS currency, sum(d.spend) AS spend, count() AS rows
FROM delivered AS d
GROUP BY platform, day, currency
