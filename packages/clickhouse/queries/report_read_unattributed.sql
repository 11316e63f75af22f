-- What no campaign, ad set or ad of the level earned, by conversion type: conversions of which none has a share, all value that none
-- got, and the payments that share that value with one.
WITH
{{part sources}},
{{part sums by credit of model}}
SELECT
    conversion_type,
    whole_conversions AS conversions,
    whole_payments AS payments,
    whole_first_payments AS first_payments,
    s.payments - whole_payments AS partly_credited,
    value,
    valued
FROM sums AS s
WHERE owner_id = nobody
SETTINGS do_not_merge_across_partitions_select_final = 1
