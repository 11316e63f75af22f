-- What no campaign, ad set or ad of the level earned, by conversion type: conversions of which none has a share, all value that none
-- got, and the payments that share that value with one.
WITH
{{part sources}},
{{part credits by credit of model}}
SELECT
    conversion_type,
    countIf(is_whole) AS conversions,
    countIf(is_whole AND is_cash) AS payments,
    countIf(is_whole AND is_cash AND is_new_purchase) AS first_payments,
    countIf(NOT is_whole AND is_cash) AS partly_credited,
    sumIf(credit, is_cash) AS value,
    countIf(is_cash AND has_value) AS valued
FROM credits
WHERE owner_id = nobody
GROUP BY conversion_type
SETTINGS do_not_merge_across_partitions_select_final = 1
