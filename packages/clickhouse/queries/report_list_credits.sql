-- The newest conversions that a figure is made of, before a place in that order: what each adds, and how long its path is. The order
-- of ids is this engine's own, here and in the comparison.
WITH
{{part sources}},
{{part credits by credit of model}},
{{part chosen_credits}}
SELECT conversion_time, conversion_id, credit, path_length
FROM chosen
WHERE (conversion_time, conversion_id) < ({before_at:DateTime64(3, 'UTC')}, {before_id:UUID})
ORDER BY conversion_time DESC, conversion_id DESC
LIMIT {limit:UInt16}
SETTINGS do_not_merge_across_partitions_select_final = 1
