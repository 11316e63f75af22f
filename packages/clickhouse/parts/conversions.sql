{{part owned}},
    conversions AS
    (
        SELECT
            conversion_id,
            conversion_time,
            conversion_type,
            revenue_type = 'cash' AS is_cash,
            -- Deposit and balance are one purchase, identified by its earliest payment; the purchase counts only at
            -- that payment.
            is_first_payment AND purchase_id = conversion_id AS is_new_purchase,
            value,
            has_value,
            length(source_ids) AS path_length,
            source_ids,
            {{part step by moment}}
            {{part chosen by credit of model}}
        FROM {{part standing_conversions by moment}}
        WHERE profile_id = {profile_id:UUID}
            AND conversion_time >= {from:DateTime64(3, 'UTC')}
            AND conversion_time < {until:DateTime64(3, 'UTC')}
    )
