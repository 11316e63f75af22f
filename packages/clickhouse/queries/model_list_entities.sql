-- The credit of campaigns, ad sets or ads under a fitted model, highest first, after a cursor. `by_part` has the sums
-- for each fiftieth of the people. The credit of the first and the last touch of the same purchases shows how far
-- models differ.
WITH
{{part sources}},
{{part weighed}},
    credited AS
    (
        SELECT
            conversion_id,
            part,
            source_id,
            credit,
            if(number = 1, value, 0) AS first_touch,
            if(number = length(source_ids), value, 0) AS last_touch
        FROM
        (
            SELECT conversion_id, part, value, source_ids, credits[{fitted_model:String}] AS shares
            FROM model_credits FINAL
            WHERE profile_id = {profile_id:UUID} AND fit_id = {fit_id:UUID}
                AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
        )
        ARRAY JOIN source_ids AS source_id, shares AS credit, arrayEnumerate(source_ids) AS number
    ),
    page AS
    (
        SELECT
            w.of_level AS entity_id,
            sum(if(w.times = 1, c.credit, toInt64(round(c.credit * w.times))) AS given) AS value,
            uniqExact(c.conversion_id) AS purchases,
            sum(c.first_touch) AS first_touch_value,
            sum(c.last_touch) AS last_touch_value,
            sum(c.credit * w.doubt) AS doubt,
            groupUniqArray(w.unit) AS units,
            sumMap(map(c.part, toInt64(given))) AS of_parts
        FROM credited AS c
        INNER JOIN weighed AS w ON w.source_id = c.source_id
        WHERE w.of_level != nil_id
        GROUP BY entity_id
        HAVING ({only:UUID} = nil_id OR entity_id = {only:UUID})
            AND (value < {below_value:Int64} OR (value = {below_value:Int64} AND toString(entity_id) > {after_id:String}))
        ORDER BY value DESC, toString(entity_id)
        LIMIT {limit:UInt32}
    )
SELECT
    p.entity_id AS entity_id,
    p.value AS value,
    p.purchases AS purchases,
    p.first_touch_value AS first_touch_value,
    p.last_touch_value AS last_touch_value,
    p.doubt AS doubt,
    p.units AS units,
    mapValues(p.of_parts) AS by_part,
    e.name AS name,
    e.external_id AS external_id
FROM page AS p
LEFT JOIN entities AS e ON e.entity_id = p.entity_id
ORDER BY p.value DESC, toString(p.entity_id)
