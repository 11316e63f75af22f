-- Models that were fitted to a profile's data. Credits of a fit are in ClickHouse, under its id.
CREATE TABLE model_fits (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('queued', 'running', 'done', 'refused', 'failed')),
  -- Why it was refused, as a word of ours.
  reason text,
  requested_at timestamptz NOT NULL,
  finished_at timestamptz,
  -- Purchases of these moments were credited.
  credited_from timestamptz,
  credited_until timestamptz,
  purchases integer,
  -- How much of their value has any known touch, in percent.
  seen_pct real,
  people integer,
  -- Of what each model learned, as a hash: two fits of the same data have the same.
  fingerprints jsonb,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX model_fits_latest ON model_fits (profile_id, requested_at DESC);
-- One at a time.
CREATE UNIQUE INDEX model_fits_waiting ON model_fits (profile_id) WHERE state IN ('queued', 'running');
ALTER TABLE model_fits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON model_fits TO tributary_app USING (profile_id = current_profile());
CREATE POLICY sweep ON model_fits TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON model_fits TO tributary_app;
GRANT SELECT (profile_id, id, state, requested_at, finished_at), DELETE ON model_fits TO tributary_system;
