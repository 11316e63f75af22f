-- First and last seen are the times of a customer's outcomes, not the moment of the import that brought them.
UPDATE customers c SET first_seen_at = o.first_at, last_seen_at = o.last_at
FROM (
  SELECT profile_id, customer_id, min(occurred_at) AS first_at, max(occurred_at) AS last_at FROM outcomes
  WHERE customer_id IS NOT NULL GROUP BY profile_id, customer_id
) o
WHERE c.profile_id = o.profile_id AND c.id = o.customer_id AND c.erased_at IS NULL
  AND (c.first_seen_at, c.last_seen_at) IS DISTINCT FROM (o.first_at, o.last_at);
