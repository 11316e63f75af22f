-- What is credited to each platform: conversions each once, whichever of its entities have a share in them.
WITH
{{part sources}},
{{part credits by credit of model}}
SELECT
    p.platform AS platform,
    count() AS conversions,
    countIf(is_cash) AS payments,
    sumIf(credit, is_cash) AS value,
    countIf(is_cash AND has_value) AS valued
FROM credits AS c
INNER JOIN (SELECT DISTINCT platform, reinterpretAsUUID(sipHash128(platform)) AS id FROM sources) AS p ON p.id = c.owner_id
GROUP BY platform
SETTINGS do_not_merge_across_partitions_select_final = 1
