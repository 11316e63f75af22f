-- The number of visits within [from, to) that named each of these ads.
SELECT ad_id, count() AS touches
FROM touches FINAL
WHERE profile_id = {profile_id:UUID}
    AND occurred_at >= {from:DateTime64(3, 'UTC')}
    AND occurred_at < {to:DateTime64(3, 'UTC')}
    AND kind = 'visit'
    AND ad_id IN {ad_ids:Array(UUID)}
GROUP BY ad_id
