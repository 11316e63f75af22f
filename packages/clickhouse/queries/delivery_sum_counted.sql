-- All days of delivery that a figure is made of, added up.
WITH
{{part sources}},
{{part delivered}},
{{part counted_delivery}}
SELECT count() AS days, sum(amount * factor) AS contributes, countIf(factor = 0) AS without_rate
FROM counted
