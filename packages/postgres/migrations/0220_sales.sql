-- One sale, counted once (docs/decisions/0090). A record that is not counted keeps its row; `uncounted` says why no report has it.
ALTER TABLE outcomes ADD COLUMN uncounted text, ADD COLUMN duplicate_of uuid;

-- A record that is not counted means nothing: it is no conversion, no cash and no first payment.
CREATE OR REPLACE VIEW outcome_meanings WITH (security_invoker = true) AS
  SELECT o.profile_id, o.id, o.idempotency_key, o.event_name, o.event_type, o.event_key, o.event_type_key, o.customer_id, o.occurred_at,
    o.recorded_at, o.updated_at, o.amount, o.currency, o.reporting_amount, o.reporting_currency, o.rate, o.rate_date, o.subject_ref,
    o.is_first_payment, o.purchase_id, o.is_installment, o.rest, o.visitor_id, o.erased_at, o.origin, o.source, o.connection_id,
    o.external_id, o.refunded, o.is_payer_assigned, o.said_customer_id,
    CASE WHEN o.uncounted IS NULL THEN coalesce(byname.definition_id, bytype.definition_id) END AS definition_id,
    CASE WHEN o.uncounted IS NULL THEN d.conversion_type END AS conversion_type,
    CASE WHEN o.uncounted IS NULL THEN d.counts_as_cash END AS counts_as_cash,
    CASE WHEN o.uncounted IS NULL THEN d.is_attribution_eligible END AS is_attribution_eligible,
    CASE WHEN o.uncounted IS NULL THEN d.lookback_window_days END AS lookback_window_days,
    o.uncounted, o.duplicate_of,
    coalesce(d.counts_as_cash, false) AND o.amount IS NOT NULL AS is_cash_record
  FROM outcomes o
  LEFT JOIN definition_events byname ON byname.profile_id = o.profile_id AND byname.event_key = o.event_key
  LEFT JOIN definition_events bytype ON bytype.profile_id = o.profile_id AND bytype.event_key = o.event_type_key
  LEFT JOIN definitions d ON d.profile_id = o.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id);

CREATE OR REPLACE FUNCTION count_outcomes() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO outcome_totals AS t
    SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, ''), count(*), coalesce(sum(reporting_amount), 0)
    FROM new_rows WHERE customer_id IS NOT NULL AND uncounted IS NULL
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (profile_id, customer_id, event_key, event_type_key, currency)
    DO UPDATE SET outcomes = t.outcomes + excluded.outcomes, amount = t.amount + excluded.amount;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO outcome_totals AS t
    SELECT profile_id, customer_id, event_key, event_type_key, currency, sum(n), sum(amount)
    FROM (
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, '') AS currency, 1 AS n, coalesce(reporting_amount, 0) AS amount
      FROM new_rows WHERE uncounted IS NULL
      UNION ALL
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, ''), -1, -coalesce(reporting_amount, 0)
      FROM old_rows WHERE uncounted IS NULL
    ) AS change
    WHERE customer_id IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0 OR sum(amount) <> 0 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (profile_id, customer_id, event_key, event_type_key, currency)
    DO UPDATE SET outcomes = t.outcomes + excluded.outcomes, amount = t.amount + excluded.amount;
    IF NOT FOUND THEN RETURN NULL; END IF;
  ELSE
    -- Not an insert: where the whole profile goes, there is nothing left to refer to.
    UPDATE outcome_totals t SET outcomes = t.outcomes - gone.n, amount = t.amount - gone.amount
    FROM (
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, '') AS currency, count(*) AS n, coalesce(sum(reporting_amount), 0) AS amount
      FROM old_rows WHERE customer_id IS NOT NULL AND uncounted IS NULL GROUP BY 1, 2, 3, 4, 5
    ) AS gone
    WHERE (t.profile_id, t.customer_id, t.event_key, t.event_type_key, t.currency)
      = (gone.profile_id, gone.customer_id, gone.event_key, gone.event_type_key, gone.currency);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM outcome_totals t USING (SELECT DISTINCT profile_id, customer_id FROM old_rows) AS was
    WHERE t.profile_id = was.profile_id AND t.customer_id = was.customer_id AND t.outcomes = 0;
  END IF;
  RETURN NULL;
END $$;

-- The sources that reported payments of a profile: `api`, or the provider and its connection. With one source there is nothing to match.
CREATE TABLE sale_sources (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  source text COLLATE "C" NOT NULL,
  connection_id uuid,
  added_at timestamptz NOT NULL DEFAULT now(),
  -- When all its payments were marked for matching; null: not yet.
  scanned_at timestamptz,
  -- What a member answered when its payments turned out to be reported by others, too; null: nothing, and they are counted once.
  decision text CHECK (decision IN ('count_once', 'count_both')),
  decided_at timestamptz,
  -- Its payments since then are in no report.
  excluded_from timestamptz,
  PRIMARY KEY (profile_id, source)
);
ALTER TABLE sale_sources ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON sale_sources TO tributary_app USING (profile_id = current_profile());
CREATE POLICY noted ON sale_sources TO tributary_owner USING (true);
CREATE POLICY watched ON sale_sources FOR SELECT TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON sale_sources TO tributary_app;
GRANT SELECT ON sale_sources TO tributary_system;

-- Payments whose sale has to be found again: first their matches, then, when all are matched, which record counts.
CREATE TABLE dirty_sales (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  outcome_id uuid NOT NULL,
  revision bigint NOT NULL DEFAULT nextval('dirty_revision'),
  is_matched boolean NOT NULL DEFAULT false,
  PRIMARY KEY (profile_id, outcome_id)
);
CREATE INDEX dirty_sales_in_order ON dirty_sales (profile_id, is_matched, revision);
ALTER TABLE dirty_sales ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON dirty_sales TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON dirty_sales TO tributary_system USING (true);
CREATE POLICY noted ON dirty_sales TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON dirty_sales TO tributary_app, tributary_system;
CREATE TRIGGER announce_added AFTER INSERT ON dirty_sales
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('sales');
CREATE TRIGGER announce_changed AFTER UPDATE ON dirty_sales
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('sales');

-- Whatever changes what a payment could be matched by marks it: a message, a merge, a link, a payer, a correction.
CREATE FUNCTION mark_sales() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows WHERE uncounted = 'pending') THEN RETURN NULL; END IF;
    INSERT INTO dirty_sales AS d (profile_id, outcome_id)
    SELECT profile_id, id FROM new_rows WHERE uncounted = 'pending' ORDER BY 1, 2
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false;
    RETURN NULL;
  END IF;
  IF NOT EXISTS (SELECT FROM new_rows n JOIN sale_sources s ON s.profile_id = n.profile_id AND n.amount IS NOT NULL) THEN RETURN NULL; END IF;
  INSERT INTO dirty_sales AS d (profile_id, outcome_id)
  SELECT n.profile_id, n.id FROM new_rows n JOIN old_rows o ON o.profile_id = n.profile_id AND o.id = n.id
  WHERE (n.amount IS NOT NULL OR o.amount IS NOT NULL)
    AND (n.customer_id, n.amount, n.currency, n.occurred_at, n.event_key, n.event_type_key, n.rest)
      IS DISTINCT FROM (o.customer_id, o.amount, o.currency, o.occurred_at, o.event_key, o.event_type_key, o.rest)
    AND EXISTS (SELECT FROM sale_sources s WHERE s.profile_id = n.profile_id OFFSET 1)
  ORDER BY 1, 2
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_sales_added AFTER INSERT ON outcomes
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_sales();
CREATE TRIGGER mark_sales_changed AFTER UPDATE ON outcomes
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_sales();

-- Payments of profiles with several sources, as far as overlap is measured by them.
CREATE TABLE sale_records (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  outcome_id uuid NOT NULL,
  source text COLLATE "C" NOT NULL,
  occurred_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, outcome_id)
);
CREATE INDEX sale_records_by_source ON sale_records (profile_id, source, occurred_at);

-- Order, payment and transaction references that payments carry.
CREATE TABLE sale_references (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  value text COLLATE "C" NOT NULL,
  outcome_id uuid NOT NULL,
  level text NOT NULL CHECK (level IN ('payment', 'order')),
  PRIMARY KEY (profile_id, value, outcome_id)
);
CREATE INDEX sale_references_by_outcome ON sale_references (profile_id, outcome_id);

-- Two records of different sources that are the same money, as far as is known from valid_from to valid_to.
CREATE TABLE sale_matches (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  first_id uuid NOT NULL,
  second_id uuid NOT NULL,
  first_source text COLLATE "C" NOT NULL,
  second_source text COLLATE "C" NOT NULL,
  evidence text NOT NULL CHECK (evidence IN ('reference', 'customer', 'time')),
  reference text,
  apart_ms bigint NOT NULL,
  is_certain boolean NOT NULL,
  is_likely boolean NOT NULL,
  state text NOT NULL CHECK (state IN ('automatic', 'confirmed', 'suggested', 'rejected')),
  valid_from timestamptz NOT NULL,
  valid_to timestamptz,
  PRIMARY KEY (profile_id, id)
);
CREATE UNIQUE INDEX sale_matches_current ON sale_matches (profile_id, first_id, second_id) WHERE valid_to IS NULL;
CREATE INDEX sale_matches_by_second ON sale_matches (profile_id, second_id) WHERE valid_to IS NULL;
CREATE INDEX sale_matches_by_sources ON sale_matches (profile_id, first_source, second_source, is_likely, state) WHERE valid_to IS NULL;
CREATE INDEX sale_matches_in_order ON sale_matches (profile_id, id) WHERE valid_to IS NULL;

-- What members decided of two records. It outlives the match, so a rejected pair is never suggested again.
CREATE TABLE sale_decisions (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  first_id uuid NOT NULL,
  second_id uuid NOT NULL,
  decision text NOT NULL CHECK (decision IN ('confirmed', 'rejected')),
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  decided_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, first_id, second_id)
);
CREATE INDEX sale_decisions_by_second ON sale_decisions (profile_id, second_id);

-- How two sources overlap. `is_never`: a member states that they never report the same sale.
CREATE TABLE sale_overlaps (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  first_source text COLLATE "C" NOT NULL,
  second_source text COLLATE "C" NOT NULL,
  records integer NOT NULL DEFAULT 0,
  partners integer NOT NULL DEFAULT 0,
  is_systematic boolean NOT NULL DEFAULT false,
  is_never boolean NOT NULL DEFAULT false,
  found_at timestamptz,
  PRIMARY KEY (profile_id, first_source, second_source)
);

CREATE TABLE sale_settings (
  profile_id uuid PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
  preference text[] NOT NULL,
  window_minutes integer NOT NULL
);

DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY['sale_records', 'sale_references', 'sale_matches', 'sale_decisions', 'sale_overlaps', 'sale_settings'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_profile ON %I TO tributary_app USING (profile_id = current_profile())', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO tributary_app', name);
  END LOOP;
END $$;
