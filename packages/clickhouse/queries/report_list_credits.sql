-- The newest conversions that make up a figure, before a cursor: the credit of each and the length of its path.
-- ClickHouse orders UUIDs in its own way, here and in the comparison with the cursor.
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
