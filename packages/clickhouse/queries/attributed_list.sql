-- Attributed conversions of some time without persons, for a file.
{{part attributed_rows}}
ORDER BY conversion_time, conversion_id, touch_number
SETTINGS do_not_merge_across_partitions_select_final = 1
