-- Delivery recorded by the moment, including rows restated later.
(
    SELECT * FROM ad_delivery_daily FINAL
    WHERE profile_id = {profile_id:UUID} AND day >= {first_day:Date} AND day <= {last_day:Date}
        AND recorded_at <= {as_of:DateTime64(3, 'UTC')}
    UNION ALL
    SELECT * EXCEPT replaced_at FROM ad_delivery_history FINAL
    WHERE profile_id = {profile_id:UUID} AND day >= {first_day:Date} AND day <= {last_day:Date}
        AND recorded_at <= {as_of:DateTime64(3, 'UTC')}
        AND replaced_at > {as_of:DateTime64(3, 'UTC')}
        AND (level, day, entity_id, version) NOT IN
        (
            SELECT level, day, entity_id, version FROM ad_delivery_daily FINAL
            WHERE profile_id = {profile_id:UUID} AND day >= {first_day:Date} AND day <= {last_day:Date}
        )
)
