-- A payment that changes leaves the equal ones of its customer: they may match in another order now, so they are marked, too. A profile
-- with one source is recognised by one look-up.
CREATE OR REPLACE FUNCTION mark_sales() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows WHERE uncounted = 'pending') THEN RETURN NULL; END IF;
    INSERT INTO dirty_sales AS d (profile_id, outcome_id)
    SELECT profile_id, id FROM new_rows WHERE uncounted = 'pending' ORDER BY 1, 2
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false;
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
    SELECT FROM (SELECT DISTINCT profile_id FROM new_rows WHERE amount IS NOT NULL) n
    WHERE EXISTS (
      SELECT FROM sale_sources s WHERE s.profile_id = n.profile_id
      HAVING count(*) > 1 OR bool_or(s.excluded_from IS NOT NULL))) THEN RETURN NULL; END IF;
  WITH changed AS MATERIALIZED (
    SELECT o.profile_id, o.id, o.customer_id, o.amount, o.currency, o.occurred_at,
      (n.customer_id, n.amount, n.currency, n.occurred_at) IS DISTINCT FROM (o.customer_id, o.amount, o.currency, o.occurred_at) AS has_left
    FROM new_rows n JOIN old_rows o ON o.profile_id = n.profile_id AND o.id = n.id
    WHERE (n.amount IS NOT NULL OR o.amount IS NOT NULL)
      AND (n.customer_id, n.amount, n.currency, n.occurred_at, n.event_key, n.event_type_key, n.rest)
        IS DISTINCT FROM (o.customer_id, o.amount, o.currency, o.occurred_at, o.event_key, o.event_type_key, o.rest)
      AND EXISTS (
        SELECT FROM sale_sources s WHERE s.profile_id = n.profile_id
        HAVING count(*) > 1 OR bool_or(s.excluded_from IS NOT NULL)))
  INSERT INTO dirty_sales AS d (profile_id, outcome_id)
  SELECT profile_id, id FROM changed
  UNION
  SELECT near.profile_id, near.id FROM changed c
  JOIN outcomes near ON near.profile_id = c.profile_id AND near.customer_id = c.customer_id AND near.amount = c.amount AND near.currency = c.currency
    -- The longest time window that a profile can set.
    AND near.occurred_at BETWEEN c.occurred_at - interval '1 day' AND c.occurred_at + interval '1 day'
  WHERE c.has_left
  ORDER BY 1, 2
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false;
  RETURN NULL;
END $$;
