(
    SELECT * FROM sums
    UNION ALL
    SELECT
        nil_id AS owner_id,
        toString(conversion_type) AS conversion_type,
        count() AS conversions,
        countIf(revenue_type = 'cash') AS payments,
        countIf(revenue_type = 'cash' AND is_first_payment AND purchase_id = conversion_id) AS first_payments,
        sumIf(value, revenue_type = 'cash') AS value,
        countIf(revenue_type = 'cash' AND has_value) AS valued,
        conversions AS whole_conversions,
        payments AS whole_payments,
        first_payments AS whole_first_payments
    FROM {{part standing_conversions by moment}}
    WHERE profile_id = {profile_id:UUID}
        AND conversion_time >= {from:DateTime64(3, 'UTC')}
        AND conversion_time < {until:DateTime64(3, 'UTC')}
        AND empty(source_ids)
    GROUP BY conversion_type
)
