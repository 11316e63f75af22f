-- Replays of a profile's attribution: what was asked for, and how far it has come.
CREATE TABLE attribution_replays (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  -- In our own words: a changed definition, another currency, an operator.
  cause text NOT NULL,
  state text NOT NULL CHECK (state IN ('queued', 'running', 'stopped', 'failed', 'done')),
  -- Null until the work has been cut into buckets.
  buckets_total integer CHECK (buckets_total >= 0),
  buckets_done integer NOT NULL DEFAULT 0 CHECK (buckets_done >= 0),
  conversions_done bigint NOT NULL DEFAULT 0 CHECK (conversions_done >= 0),
  requested_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  error text,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX attribution_replays_newest ON attribution_replays (profile_id, requested_at DESC, id DESC);
ALTER TABLE attribution_replays ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON attribution_replays TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON attribution_replays TO tributary_app;
