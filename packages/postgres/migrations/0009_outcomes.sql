-- The ledger of what happened. An outcome is kept as it was sent; what it means is said by the profile's definitions and looked
-- up when it is needed, so that a changed definition changes no outcome.

CREATE TABLE definitions (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  key text NOT NULL,
  name text NOT NULL,
  conversion_type text NOT NULL,
  counts_as_cash boolean NOT NULL,
  is_attribution_eligible boolean NOT NULL,
  lookback_window_days integer NOT NULL CHECK (lookback_window_days BETWEEN 1 AND 365),
  is_default boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- Set by the first attributed conversion, for good.
  first_attributed_at timestamptz,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, key)
);
ALTER TABLE definitions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON definitions TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON definitions TO tributary_app;

-- The key is what makes an event name belong to one definition at most.
CREATE TABLE definition_events (
  profile_id uuid NOT NULL,
  event_key text COLLATE "C" NOT NULL,
  definition_id uuid NOT NULL,
  PRIMARY KEY (profile_id, event_key),
  FOREIGN KEY (profile_id, definition_id) REFERENCES definitions ON DELETE CASCADE
);
CREATE INDEX definition_events_by_definition ON definition_events (profile_id, definition_id);
ALTER TABLE definition_events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON definition_events TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON definition_events TO tributary_app;

CREATE TABLE outcomes (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  -- The caller's own handle of the event.
  idempotency_key text COLLATE "C" NOT NULL,
  event_name text NOT NULL,
  event_type text NOT NULL,
  -- The names folded, as definitions list them: the finer word first.
  event_key text COLLATE "C" NOT NULL,
  event_type_key text COLLATE "C" NOT NULL,
  customer_id uuid,
  occurred_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- Money as it was said, and as it is reported: once converted, with the rate and its day beside it. No rate, no reporting value.
  amount numeric,
  currency text,
  reporting_amount numeric,
  reporting_currency text,
  rate numeric,
  rate_date date,
  subject_ref text,
  -- Derived from all payments of the customer; null when it is not a payment.
  is_first_payment boolean,
  purchase_id uuid,
  is_installment boolean NOT NULL DEFAULT false,
  -- What else the body said and somebody will need: action_source, click_ids, ad_id, page_url, further properties.
  rest jsonb NOT NULL,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, idempotency_key),
  CHECK ((amount IS NULL) = (currency IS NULL))
);
CREATE INDEX outcomes_by_customer ON outcomes (profile_id, customer_id, occurred_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX outcomes_by_event ON outcomes (profile_id, event_key, occurred_at, id);
ALTER TABLE outcomes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON outcomes TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON outcomes TO tributary_app;

-- Conversions whose attribution has to be worked out (again), each with what made it so. The revision tells a worker whether the
-- outcome changed again while it worked.
CREATE SEQUENCE dirty_revision;
GRANT USAGE ON SEQUENCE dirty_revision TO tributary_app, tributary_system;
CREATE TABLE dirty_conversions (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  outcome_id uuid NOT NULL,
  revision bigint NOT NULL DEFAULT nextval('dirty_revision'),
  cause text NOT NULL,
  PRIMARY KEY (profile_id, outcome_id)
);
ALTER TABLE dirty_conversions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON dirty_conversions TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON dirty_conversions TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON dirty_conversions TO tributary_app, tributary_system;

-- Customers whose first payments have to be derived again, because a merge or a definition changed the set of their payments.
CREATE TABLE dirty_customers (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  customer_id uuid NOT NULL,
  revision bigint NOT NULL DEFAULT nextval('dirty_revision'),
  PRIMARY KEY (profile_id, customer_id)
);
ALTER TABLE dirty_customers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON dirty_customers TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON dirty_customers TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON dirty_customers TO tributary_app, tributary_system;

-- Whoever merges customers, the outcomes follow in the same statement: the rooms below know nothing of outcomes.
CREATE FUNCTION follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  WITH moved AS (
    UPDATE outcomes SET customer_id = NEW.merged_into WHERE profile_id = NEW.profile_id AND customer_id = NEW.id RETURNING id
  ), dirty AS (
    INSERT INTO dirty_conversions (profile_id, outcome_id, cause) SELECT NEW.profile_id, id, 'merge' FROM moved
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), cause = 'merge'
  )
  INSERT INTO dirty_customers (profile_id, customer_id)
  SELECT DISTINCT NEW.profile_id, NEW.merged_into FROM moved
  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');
  RETURN NULL;
END $$;
CREATE TRIGGER outcomes_follow_merge AFTER UPDATE OF merged_into ON customers
  FOR EACH ROW WHEN (NEW.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into) EXECUTE FUNCTION follow_merge();

-- Units of a currency for one US dollar on a day; on days without a rate the last one holds. The same for everybody.
CREATE TABLE exchange_rates (
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  day date NOT NULL,
  per_usd numeric NOT NULL CHECK (per_usd > 0),
  source text NOT NULL,
  PRIMARY KEY (currency, day)
);
GRANT SELECT ON exchange_rates TO tributary_app, tributary_system;
