-- Every version of a day that was recorded by the moment.
(
    SELECT profile_id, day, platform, currency FROM ad_delivery_daily
    WHERE profile_id = {profile_id:UUID} AND recorded_at <= {as_of:DateTime64(3, 'UTC')}
    UNION ALL
    SELECT profile_id, day, platform, currency FROM ad_delivery_history
    WHERE profile_id = {profile_id:UUID} AND recorded_at <= {as_of:DateTime64(3, 'UTC')}
)
