-- The newest steps of a change, before a cursor.
WITH
{{part sources}},
{{part credits by credit of model}},
{{part chosen_credits}},
{{part change_steps}}
SELECT at, conversion_id, conversion_time, why AS cause, ref, before, after
FROM steps
WHERE ({cause:String} = '' OR cause = {cause:String})
    AND (at, conversion_id, cause) < ({before_at:DateTime64(3, 'UTC')}, {before_id:UUID}, {before_cause:String})
ORDER BY at DESC, conversion_id DESC, cause DESC
LIMIT {limit:UInt16}
SETTINGS do_not_merge_across_partitions_select_final = 1
