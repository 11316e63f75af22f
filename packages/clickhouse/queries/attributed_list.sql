-- Attributed conversions of a period for an export file, without customers.
{{part attributed_rows}}
ORDER BY conversion_time, conversion_id, touch_number
SETTINGS do_not_merge_across_partitions_select_final = 1
