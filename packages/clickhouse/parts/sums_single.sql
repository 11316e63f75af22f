{{part owned}},
    -- The credit of each owner under the model, by conversion type. Conversions are summed by source first: there are
    -- few sources, so the owner is looked up once per source and not per conversion.
    sums AS
    (
        SELECT
            o.owner AS owner_id,
            conversion_type,
            sum(conversions) AS conversions,
            sum(payments) AS payments,
            sum(first_payments) AS first_payments,
            sum(value) AS value,
            sum(valued) AS valued,
            -- Under these models an owner with a share has all of it.
            conversions AS whole_conversions,
            payments AS whole_payments,
            first_payments AS whole_first_payments
        FROM
        (
            SELECT
                {{part source by model}} AS source_id,
                conversion_type,
                count() AS conversions,
                countIf(revenue_type = 'cash') AS payments,
                countIf(revenue_type = 'cash' AND is_first_payment AND purchase_id = conversion_id) AS first_payments,
                sumIf(value, revenue_type = 'cash') AS value,
                countIf(revenue_type = 'cash' AND has_value) AS valued
            FROM {{part standing_conversions by moment}}
            WHERE profile_id = {profile_id:UUID}
                AND conversion_time >= {from:DateTime64(3, 'UTC')}
                AND conversion_time < {until:DateTime64(3, 'UTC')}
            GROUP BY source_id, conversion_type
        ) AS s
        ANY LEFT JOIN owned AS o ON o.source_id = s.source_id
        GROUP BY owner_id, conversion_type
    )
