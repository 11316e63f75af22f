SELECT conversion_type FROM attributed_conversions
WHERE profile_id = {profile_id:UUID}
    AND conversion_time >= {from:DateTime64(3, 'UTC')}
    AND conversion_time < {until:DateTime64(3, 'UTC')}
