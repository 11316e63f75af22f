-- The number of visitors seen in a period, plus customers who answered an ad off the site: an upper bound of the
-- number of people.
SELECT uniqHLL12(seen) AS people
FROM
(
    SELECT visitor_id AS seen
    FROM touches
    WHERE profile_id = {profile_id:UUID} AND occurred_at >= {from:DateTime64(3, 'UTC')} AND occurred_at < {until:DateTime64(3, 'UTC')}
    UNION ALL
    SELECT person_id AS seen
    FROM attributed_conversions
    WHERE profile_id = {profile_id:UUID} AND notEmpty(touch_times) AND touch_times[-1] = conversion_time
        AND conversion_time >= {from:DateTime64(3, 'UTC')} AND conversion_time < {until:DateTime64(3, 'UTC')}
)
