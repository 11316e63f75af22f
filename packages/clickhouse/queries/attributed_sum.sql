-- Totals of `attributed_list`: rows, conversions, payments, and cash under each model.
SELECT
    count() AS rows,
    uniqExact(conversion_id) AS conversions,
    uniqExactIf(conversion_id, revenue_type = 'cash') AS payments,
    arrayMap(credit -> toString(credit), [
        sumIf(last_touch, revenue_type = 'cash'), sumIf(first_touch, revenue_type = 'cash'), sumIf(last_non_direct, revenue_type = 'cash'),
        sumIf(linear, revenue_type = 'cash'), sumIf(time_decay, revenue_type = 'cash'), sumIf(position_based, revenue_type = 'cash')]) AS cash
FROM
(
{{part attributed_rows}}
)
SETTINGS do_not_merge_across_partitions_select_final = 1
