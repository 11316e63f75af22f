-- What no campaign, ad set or ad of the level earned, by conversion type.
WITH
{{part sources}},
{{part credits by credit of model}}
SELECT
    conversion_type,
    count() AS conversions,
    countIf(is_cash) AS payments,
    countIf(is_cash AND is_new_purchase) AS first_payments,
    sumIf(credit, is_cash) AS value
FROM credits
WHERE owner_id = nobody
GROUP BY conversion_type
SETTINGS do_not_merge_across_partitions_select_final = 1
