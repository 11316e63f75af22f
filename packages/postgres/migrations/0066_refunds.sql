-- What was given back of payments, and what merchants say of them beside their provider.

-- A view keeps the columns that its table had.
DROP VIEW outcome_meanings;
CREATE VIEW outcome_meanings WITH (security_invoker = true) AS
SELECT o.*, coalesce(byname.definition_id, bytype.definition_id) AS definition_id, d.conversion_type, d.counts_as_cash,
  d.is_attribution_eligible, d.lookback_window_days
FROM outcomes o
LEFT JOIN definition_events byname ON byname.profile_id = o.profile_id AND byname.event_key = o.event_key
LEFT JOIN definition_events bytype ON bytype.profile_id = o.profile_id AND bytype.event_key = o.event_type_key
LEFT JOIN definitions d ON d.profile_id = o.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id);
GRANT SELECT ON outcome_meanings TO tributary_app;

-- Refunds and disputes that providers and the business's own systems tell of, each once by its key. One that comes before its payment
-- waits for it without a payment_id.
CREATE TABLE payment_refunds (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  -- The payment as it was named: its key, its provider's id or its own.
  payment_ref text COLLATE "C" NOT NULL,
  payment_id uuid,
  kind text NOT NULL CHECK (kind IN ('refund', 'dispute')),
  status text NOT NULL CHECK (status IN ('completed', 'withdrawn')),
  amount numeric NOT NULL CHECK (amount > 0),
  -- Null: that of the payment, whatever it is.
  currency text,
  refunded_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  source text NOT NULL,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, idempotency_key)
);
CREATE INDEX payment_refunds_by_payment ON payment_refunds (profile_id, payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX payment_refunds_waiting ON payment_refunds (profile_id, id) WHERE payment_id IS NULL;
ALTER TABLE payment_refunds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON payment_refunds TO tributary_app USING (profile_id = current_profile());
CREATE POLICY waiting ON payment_refunds FOR SELECT TO tributary_system USING (payment_id IS NULL);
GRANT SELECT, INSERT, UPDATE ON payment_refunds TO tributary_app;
GRANT SELECT ON payment_refunds TO tributary_system;

-- What merchants said of payments, one row for each time. Rows are added and never changed or deleted; only an erasure may put another
-- id in the place of a payer.
CREATE TABLE payment_entries (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  action text NOT NULL CHECK (action IN ('installment_marked', 'installment_unmarked', 'payer_assigned', 'payer_withdrawn', 'refund_recorded', 'refund_undone')),
  -- Of a refund, in the payment's currency.
  amount numeric CHECK (amount > 0),
  currency text,
  payer_id uuid,
  actor_kind text NOT NULL,
  actor_id uuid NOT NULL,
  request_id text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id),
  CHECK ((amount IS NULL) = (currency IS NULL)),
  CHECK ((action = 'refund_recorded') = (amount IS NOT NULL)),
  CHECK ((action = 'payer_assigned') = (payer_id IS NOT NULL))
);
CREATE INDEX payment_entries_by_payment ON payment_entries (profile_id, payment_id, id);
CREATE INDEX payment_entries_by_payer ON payment_entries (profile_id, payer_id) WHERE payer_id IS NOT NULL;
ALTER TABLE payment_entries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON payment_entries TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE (payer_id) ON payment_entries TO tributary_app;
