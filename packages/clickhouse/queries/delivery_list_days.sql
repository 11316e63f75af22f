-- Spend and delivery of entities by day; without entity_ids the total of all, including those with unknown parents.
WITH
{{part sources}},
{{part delivered}}
SELECT
    if(empty({entity_ids:Array(UUID)}), nil_id, owner_id) AS entity_id,
    day,
    sum(d.spend * d.rate) AS spend,
    -- None of the spend could be converted.
    countIf(d.spend != 0 AND d.rate = 0) > 0 AND countIf(d.spend != 0 AND d.rate != 0) = 0 AS is_spend_unknown,
    sum(d.impressions) AS impressions,
    sum(d.clicks) AS clicks
FROM delivered AS d
WHERE empty({entity_ids:Array(UUID)}) OR owner_id IN {entity_ids:Array(UUID)}
GROUP BY entity_id, day
ORDER BY entity_id, day
