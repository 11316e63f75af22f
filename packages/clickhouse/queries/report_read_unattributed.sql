-- What no campaign, ad set or ad of the level earned, by conversion type: conversions of which none has a share, all value that none
-- got, and the payments that share that value with one.
WITH
{{part sources}},
{{part sums by credit of model}}
SELECT
    conversion_type,
    sum(s.whole_conversions) AS conversions,
    sum(s.whole_payments) AS payments,
    sum(s.whole_first_payments) AS first_payments,
    sum(s.payments - s.whole_payments) AS partly_credited,
    sum(s.value) AS value,
    sum(s.valued) AS valued
FROM {{part sums_of_all by credit of model}} AS s
WHERE owner_id = nobody
GROUP BY conversion_type
SETTINGS do_not_merge_across_partitions_select_final = 1
