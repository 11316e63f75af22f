-- Cash credited to some entities; the nil UUID selects uncredited cash.
WITH
{{part sources}},
{{part sums by credit of model}}
SELECT owner_id AS entity_id, sum(value) AS value
FROM {{part sums_of_all by credit of model}}
WHERE owner_id IN {entity_ids:Array(UUID)}
GROUP BY owner_id
SETTINGS do_not_merge_across_partitions_select_final = 1
