-- Decisions on matches, alone and in batches, and changes of settings that concern all payments of a source.
CREATE TABLE sale_batches (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  decision text NOT NULL CHECK (decision IN ('confirmed', 'rejected')),
  matches integer NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  decided_at timestamptz NOT NULL,
  undone_at timestamptz,
  PRIMARY KEY (profile_id, id)
);
ALTER TABLE sale_batches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON sale_batches TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON sale_batches TO tributary_app;

ALTER TABLE sale_decisions ADD COLUMN batch_id uuid;
CREATE INDEX sale_decisions_by_batch ON sale_decisions (profile_id, batch_id) WHERE batch_id IS NOT NULL;

-- Sources of which all payments are to be marked in dirty_sales, a batch at a time. `is_matched`: their matches remain as they are.
CREATE TABLE sale_rescans (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  source text COLLATE "C" NOT NULL,
  is_matched boolean NOT NULL,
  -- The last outcome that was read; null: none yet.
  after_id uuid,
  PRIMARY KEY (profile_id, source)
);
ALTER TABLE sale_rescans ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON sale_rescans TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON sale_rescans TO tributary_system USING (true);
CREATE POLICY noted ON sale_rescans TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON sale_rescans TO tributary_app, tributary_system;
CREATE TRIGGER announce_added AFTER INSERT ON sale_rescans
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('sales');
CREATE TRIGGER announce_changed AFTER UPDATE ON sale_rescans
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('sales');

-- Payments without a customer were not marked when a second source appeared.
INSERT INTO sale_rescans (profile_id, source, is_matched)
SELECT profile_id, source, false FROM sale_sources s
WHERE EXISTS (SELECT FROM sale_sources o WHERE o.profile_id = s.profile_id AND o.source <> s.source);

-- As before, and also where a profile's only source is excluded from a date on: a payment may move across it.
CREATE OR REPLACE FUNCTION mark_sales() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
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
    AND (EXISTS (SELECT FROM sale_sources s WHERE s.profile_id = n.profile_id OFFSET 1)
      OR EXISTS (SELECT FROM sale_sources s WHERE s.profile_id = n.profile_id AND s.excluded_from IS NOT NULL))
  ORDER BY 1, 2
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false;
  RETURN NULL;
END $$;
