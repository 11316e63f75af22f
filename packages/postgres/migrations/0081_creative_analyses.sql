-- What a language model found in an ad's creative: one row an ad, the latest. What was found stays while the next is at work.
CREATE TABLE creative_analyses (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  ad_id uuid NOT NULL,
  -- Names the request, so that a job that was overtaken writes nothing.
  id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('waiting', 'done', 'failed')),
  -- Of the creative and the model: the same again need not be asked again.
  fingerprint bytea NOT NULL,
  requested_at timestamptz NOT NULL,
  finished_at timestamptz,
  -- Why it failed, as a word of ours.
  reason text,
  model text,
  found jsonb,
  PRIMARY KEY (profile_id, ad_id)
);
ALTER TABLE creative_analyses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON creative_analyses TO tributary_app USING (profile_id = current_profile());
CREATE POLICY operator ON creative_analyses TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON creative_analyses TO tributary_app;
