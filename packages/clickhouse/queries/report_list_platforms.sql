-- Credit by platform. A conversion counts once per platform, also when several of its entities have a share.
WITH
{{part sources}},
{{part sums by credit of model}}
SELECT
    p.platform AS platform,
    sum(conversions) AS conversions,
    sum(payments) AS payments,
    sum(value) AS value,
    sum(valued) AS valued
FROM sums AS s
INNER JOIN (SELECT DISTINCT platform, reinterpretAsUUID(sipHash128(platform)) AS id FROM sources) AS p ON p.id = s.owner_id
GROUP BY platform
SETTINGS do_not_merge_across_partitions_select_final = 1
