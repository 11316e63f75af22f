-- Totals of the delivery rows that make up a figure.
WITH
{{part sources}},
{{part delivered}},
{{part counted_delivery}}
SELECT count() AS days, sum(amount * factor) AS contributes, countIf(amount != 0 AND factor = 0) AS without_rate,
    countIf(amount != 0 AND factor != 0) AS with_rate
FROM counted
