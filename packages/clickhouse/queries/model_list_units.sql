-- The credit of each campaign under a fitted model, over all days of the fit and over the requested days, largest
-- first. An ad or ad set with its own experiment is listed apart from its campaign.
WITH
{{part sources}},
{{part weighed}},
    credited AS
    (
        SELECT source_id, sum(credit) AS of_all, sumIf(credit, is_asked) AS of_some
        FROM
        (
            SELECT
                source_ids,
                credits[{fitted_model:String}] AS shares,
                conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')} AS is_asked
            FROM model_credits FINAL
            WHERE profile_id = {profile_id:UUID} AND fit_id = {fit_id:UUID}
        )
        ARRAY JOIN source_ids AS source_id, shares AS credit
        GROUP BY source_id
    )
SELECT
    w.unit AS unit,
    sum(c.of_all) AS credit,
    sum(c.of_some) AS credit_of_period,
    argMax(w.channel, c.of_all) AS most_channel,
    argMax(w.of_campaign, c.of_all) AS campaign_id,
    argMax(w.of_ad_set, c.of_all) AS ad_set_id,
    any(e.name) AS campaign_name
FROM credited AS c
INNER JOIN weighed AS w ON w.source_id = c.source_id
LEFT JOIN entities AS e ON e.entity_id = w.of_campaign
WHERE w.unit != nil_id
GROUP BY unit
ORDER BY credit DESC, toString(unit)
LIMIT {limit:UInt32}
