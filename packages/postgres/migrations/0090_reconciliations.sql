-- Whether the columns say what the ledger says, day by day: runs, and what they found, row by row.
CREATE TABLE reconciliations (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('queued', 'done', 'failed')),
  is_nightly boolean NOT NULL,
  date_from date NOT NULL,
  date_to date NOT NULL,
  requested_at timestamptz NOT NULL,
  finished_at timestamptz,
  -- Of each day what both sides count, and how many rows differ or are on their way.
  days jsonb NOT NULL DEFAULT '[]',
  differences integer NOT NULL DEFAULT 0,
  pending integer NOT NULL DEFAULT 0,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX reconciliations_by_age ON reconciliations (profile_id, requested_at, id);
CREATE INDEX reconciliations_queued ON reconciliations (profile_id) WHERE state = 'queued';
CREATE UNIQUE INDEX reconciliations_once_a_night ON reconciliations (profile_id, date_to) WHERE is_nightly;
ALTER TABLE reconciliations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON reconciliations TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON reconciliations TO tributary_system USING (true);
CREATE POLICY nightly ON reconciliations TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON reconciliations TO tributary_app;
GRANT SELECT (profile_id, id, state, requested_at), DELETE ON reconciliations TO tributary_system;
CREATE TRIGGER announce_added AFTER INSERT ON reconciliations
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('reconciliations');

CREATE TABLE reconciliation_differences (
  profile_id uuid NOT NULL,
  reconciliation_id uuid NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL,
  -- The conversion.
  subject_id uuid NOT NULL,
  day date NOT NULL,
  -- In the reporting currency; null where that side has no such row.
  in_ledger numeric,
  in_columns numeric,
  PRIMARY KEY (profile_id, reconciliation_id, number),
  FOREIGN KEY (profile_id, reconciliation_id) REFERENCES reconciliations ON DELETE CASCADE
);
ALTER TABLE reconciliation_differences ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON reconciliation_differences TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON reconciliation_differences TO tributary_app;

-- As the owner, who alone knows all profiles. Once a night, whoever else runs the job, too.
CREATE FUNCTION queue_reconciliations(first_day date, last_day date, at timestamptz) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ DECLARE queued bigint; BEGIN
  INSERT INTO reconciliations (profile_id, id, state, is_nightly, date_from, date_to, requested_at)
  SELECT id, gen_random_uuid(), 'queued', true, first_day, last_day, at FROM profiles
  ON CONFLICT (profile_id, date_to) WHERE is_nightly DO NOTHING;
  GET DIAGNOSTICS queued = ROW_COUNT;
  RETURN queued;
END $$;
REVOKE ALL ON FUNCTION queue_reconciliations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION queue_reconciliations TO tributary_system;
