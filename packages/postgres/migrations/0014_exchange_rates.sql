-- A job fetches rates.
GRANT INSERT, UPDATE ON exchange_rates TO tributary_system;

-- Money that had no rate when it came, until there is one. Who writes outcomes need not know of it.
CREATE TABLE outcomes_without_rate (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  outcome_id uuid NOT NULL,
  currency text NOT NULL,
  occurred_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, outcome_id)
);
ALTER TABLE outcomes_without_rate ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON outcomes_without_rate TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON outcomes_without_rate TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON outcomes_without_rate TO tributary_app;
GRANT SELECT ON outcomes_without_rate TO tributary_system;

CREATE FUNCTION note_missing_rate() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  INSERT INTO outcomes_without_rate (profile_id, outcome_id, currency, occurred_at)
  VALUES (NEW.profile_id, NEW.id, NEW.currency, NEW.occurred_at)
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET currency = excluded.currency, occurred_at = excluded.occurred_at;
  RETURN NULL;
END $$;
CREATE TRIGGER missing_rate_noted AFTER INSERT OR UPDATE OF amount, currency, occurred_at ON outcomes
  FOR EACH ROW WHEN (NEW.amount IS NOT NULL AND NEW.reporting_amount IS NULL) EXECUTE FUNCTION note_missing_rate();
INSERT INTO outcomes_without_rate (profile_id, outcome_id, currency, occurred_at)
  SELECT profile_id, id, currency, occurred_at FROM outcomes WHERE amount IS NOT NULL AND reporting_amount IS NULL;
