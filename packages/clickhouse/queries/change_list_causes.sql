-- Why a figure changed since an earlier moment: the difference and the number of conversions for each cause.
-- `only_ref` is set when the cause is one merge, definition or replay.
WITH
{{part sources}},
{{part credits by credit of model}},
{{part chosen_credits}},
{{part change_steps}}
SELECT
    why AS cause,
    if(uniqExact(ref) = 1, any(ref), nil_id) AS only_ref,
    uniqExact(conversion_id) AS conversions,
    sum(after - before) AS difference
FROM steps
GROUP BY cause
ORDER BY abs(difference) DESC, cause
SETTINGS do_not_merge_across_partitions_select_final = 1
