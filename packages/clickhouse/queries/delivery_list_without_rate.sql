-- What was spent in currencies that had no rate on the day, and so is in no figure.
WITH
{{part sources}},
{{part delivered}}
SELECT currency, count() AS days, sum(d.spend) AS amount
FROM delivered AS d
WHERE rate = 0 AND d.spend != 0
GROUP BY currency
ORDER BY currency
