-- A hand-written function for what POST /events does with a payment: one call with plans cached by the connection, the same locks and the same rows.
-- It skips identity resolution beyond one key, corrections, currency conversion and first payments.

CREATE FUNCTION record_payment(
  profile uuid, stripe integer, who text, grave bytea, event text, new_customer uuid, new_outcome uuid, request uuid, moment timestamptz)
RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE holder uuid; cash boolean; place record; first uuid; stored uuid;
BEGIN
  PERFORM set_config('app.profile_id', profile::text, true);
  SELECT d.counts_as_cash INTO cash FROM definition_events e JOIN definitions d ON d.profile_id = e.profile_id AND d.id = e.definition_id
    WHERE e.profile_id = profile AND e.event_key = 'payment_received';
  SELECT p.reporting_currency, p.time_zone INTO place FROM profiles p WHERE p.id = profile;
  PERFORM pg_advisory_xact_lock(hashtext(profile::text), stripe);
  SELECT i.customer_id INTO holder FROM identifiers i WHERE i.profile_id = profile AND i.kind = 'external_customer_id' AND i.value = who;
  PERFORM FROM tombstones t WHERE t.profile_id = profile AND t.hash = grave;
  IF holder IS NULL THEN
    INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
      VALUES (profile, new_customer, '{events}', '{}', moment, moment, moment);
    INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at, request_id)
      VALUES (profile, 'external_customer_id', who, new_customer, 'events', moment, request);
    holder := new_customer;
  ELSE
    PERFORM FROM customers c WHERE c.profile_id = profile AND c.id = holder AND c.merged_into IS NULL FOR NO KEY UPDATE;
    SELECT o.id INTO first FROM outcomes o WHERE o.profile_id = profile AND o.customer_id = holder AND o.is_first_payment IS NOT NULL
      ORDER BY o.occurred_at, o.id LIMIT 1;
    UPDATE customers c SET last_seen_at = moment WHERE c.profile_id = profile AND c.id = holder;
  END IF;
  SELECT o.id INTO stored FROM outcomes o WHERE o.profile_id = profile AND o.idempotency_key = event FOR UPDATE;
  INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at, recorded_at,
      updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, is_first_payment, purchase_id, rest)
    VALUES (profile, new_outcome, event, 'payment_received', 'payment_received', 'payment_received', 'payment_received', holder, '2026-05-01T12:00:00Z',
      moment, moment, 19990, 'CLP', 19990, place.reporting_currency, 1, '2026-05-01', first IS NULL, coalesce(first, new_outcome),
      '{"properties": {"branch": "north"}}');
  INSERT INTO dirty_conversions (profile_id, outcome_id, causes) VALUES (profile, new_outcome, '{outcome_recorded}')
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), causes = excluded.causes;
  RETURN holder;
END $$;

-- The same for many payments, each of a new customer, in the order of their keys.
CREATE FUNCTION record_payments(
  profile uuid, stripes integer[], whose text[], graves bytea[], events text[], new_customers uuid[], new_outcomes uuid[], request uuid, moment timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE place record;
BEGIN
  PERFORM set_config('app.profile_id', profile::text, true);
  PERFORM FROM definitions d WHERE d.profile_id = profile;
  SELECT p.reporting_currency, p.time_zone INTO place FROM profiles p WHERE p.id = profile;
  PERFORM pg_advisory_xact_lock(hashtext(profile::text), stripe) FROM unnest(stripes) AS stripe;
  -- LATERAL per row: a cached plan must not scan the whole profile.
  PERFORM FROM unnest(whose) AS who CROSS JOIN LATERAL (
    SELECT FROM identifiers i WHERE i.profile_id = profile AND i.kind = 'external_customer_id' AND i.value >= who COLLATE "C" AND i.value <= who COLLATE "C"
    ORDER BY i.value LIMIT 1) i;
  PERFORM FROM unnest(graves) AS grave CROSS JOIN LATERAL (SELECT FROM tombstones t WHERE t.profile_id = profile AND t.hash = grave LIMIT 1) t;
  PERFORM FROM unnest(events) AS event CROSS JOIN LATERAL (
    SELECT FROM outcomes o WHERE o.profile_id = profile AND o.idempotency_key >= event COLLATE "C" AND o.idempotency_key <= event COLLATE "C"
    ORDER BY o.idempotency_key LIMIT 1 FOR UPDATE) o;
  INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
    SELECT profile, id, '{events}', '{}', moment, moment, moment FROM unnest(new_customers) AS id;
  INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at, request_id)
    SELECT profile, 'external_customer_id', who, id, 'events', moment, request FROM unnest(whose, new_customers) AS n (who, id);
  INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at, recorded_at,
      updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, is_first_payment, purchase_id, rest)
    SELECT profile, n.id, n.event, 'payment_received', 'payment_received', 'payment_received', 'payment_received', n.customer, '2026-05-01T12:00:00Z',
      moment, moment, 19990, 'CLP', 19990, place.reporting_currency, 1, '2026-05-01', true, n.id, '{"properties": {"branch": "north"}}'
    FROM unnest(events, new_customers, new_outcomes) AS n (event, customer, id);
  INSERT INTO dirty_conversions (profile_id, outcome_id, causes) SELECT profile, id, '{outcome_recorded}' FROM unnest(new_outcomes) AS id;
END $$;

GRANT EXECUTE ON FUNCTION record_payment, record_payments TO tributary_app;
