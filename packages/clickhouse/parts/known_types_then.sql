{{part known_types_now}}
UNION ALL
SELECT conversion_type FROM attribution_history
WHERE profile_id = {profile_id:UUID}
    AND conversion_time >= {from:DateTime64(3, 'UTC')}
    AND conversion_time < {until:DateTime64(3, 'UTC')}
