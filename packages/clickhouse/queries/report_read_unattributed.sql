-- Conversions and value not credited to any campaign, ad set or ad of the level, by conversion type: conversions in
-- which none has a share, all uncredited value, and payments that are only partly credited.
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
WHERE owner_id = nil_id
GROUP BY conversion_type
SETTINGS do_not_merge_across_partitions_select_final = 1
