-- The visits of a profile within [from, to). FINAL: a redelivered visit counts once.
SELECT count() AS visits
FROM visits FINAL
WHERE profile_id = {profile_id:UUID}
  AND occurred_at >= {from:DateTime64(3, 'UTC')}
  AND occurred_at < {to:DateTime64(3, 'UTC')}
