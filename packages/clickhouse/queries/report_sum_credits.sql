-- Totals of the conversions that make up a figure.
WITH
{{part sources}},
{{part credits by credit of model}},
{{part chosen_credits}}
SELECT count() AS conversions, sum(credit) AS credit, countIf(NOT has_value) AS without_rate
FROM chosen
SETTINGS do_not_merge_across_partitions_select_final = 1
