-- Why a figure is another one than at an earlier moment: what each cause added, and of how many conversions. `ref` where it is one merge,
-- definition or replay.
WITH
{{part sources}},
{{part credits by credit of model}},
{{part chosen_credits}},
{{part change_steps}}
SELECT
    why AS cause,
    if(uniqExact(ref) = 1, any(ref), nobody) AS only_ref,
    uniqExact(conversion_id) AS conversions,
    sum(after - before) AS difference
FROM steps
GROUP BY cause
ORDER BY abs(difference) DESC, cause
SETTINGS do_not_merge_across_partitions_select_final = 1
