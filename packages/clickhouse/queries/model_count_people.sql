-- How many browsers were seen in a period; there are at most as many people.
SELECT uniqHLL12(visitor_id) AS people
FROM touches
WHERE profile_id = {profile_id:UUID} AND occurred_at >= {from:DateTime64(3, 'UTC')} AND occurred_at < {until:DateTime64(3, 'UTC')}
