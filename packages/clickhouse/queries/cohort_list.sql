-- Payments by month of customers who first paid in a month, grouped by the owner credited with the first payment;
-- every payment counts once. Starts after a cursor of month and entity.
WITH
{{part sources}},
{{part owned}},
    paid AS
    (
        SELECT person_id, conversion_time, conversion_id, value, {{part source by model}} AS source_id
        FROM attributed_conversions FINAL
        WHERE profile_id = {profile_id:UUID} AND revenue_type = 'cash'
    ),
    people AS
    (
        SELECT person_id, min(conversion_time) AS acquired_at, argMin(source_id, (conversion_time, conversion_id)) AS first_source
        FROM paid
        GROUP BY person_id
        HAVING acquired_at >= {from:DateTime64(3, 'UTC')} AND acquired_at < {until:DateTime64(3, 'UTC')}
    ),
    cells AS
    (
        SELECT
            formatDateTime(a.acquired_at, '%Y-%m', {time_zone:String}) AS month,
            o.owner AS entity_id,
            formatDateTime(p.conversion_time, '%Y-%m', {time_zone:String}) AS paid_in,
            uniqExact(p.person_id) AS payers,
            count() AS payments,
            sum(p.value) AS value
        FROM paid AS p
        INNER JOIN people AS a ON a.person_id = p.person_id
        ANY LEFT JOIN owned AS o ON o.source_id = a.first_source
        GROUP BY month, entity_id, paid_in
    ),
    page AS
    (
        SELECT
            month,
            entity_id,
            sumIf(payers, paid_in = month) AS customers,
            sum(c.value) AS total,
            arraySort(groupArray((paid_in, payers, payments, c.value))) AS months
        FROM cells AS c
        GROUP BY month, entity_id
        HAVING (month, toString(entity_id)) > ({after_month:String}, {after_id:String})
        ORDER BY month, toString(entity_id)
        LIMIT {limit:UInt32}
    )
SELECT g.month AS month, g.entity_id AS entity_id, e.name AS name, e.external_id AS external_id, g.customers AS customers, g.total AS total, g.months AS months
FROM page AS g
LEFT JOIN entities AS e ON e.entity_id = g.entity_id
ORDER BY month, toString(entity_id)
SETTINGS do_not_merge_across_partitions_select_final = 1
