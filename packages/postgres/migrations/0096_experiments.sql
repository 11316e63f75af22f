-- Tests of what ads cause. What is drawn and what is read are kept with the test, so that it reads the same whenever it is read.
CREATE TABLE experiments (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('regions', 'external')),
  state text NOT NULL CHECK (state IN ('draft', 'running', 'ended', 'void')),
  -- Campaigns, ad sets or ads.
  entity_ids uuid[] NOT NULL,
  starts_on date NOT NULL,
  -- The last day on which ads were off.
  ends_on date NOT NULL,
  days integer NOT NULL,
  cool_down_days integer NOT NULL,
  -- Pairs of regions of like size, and those that were held out. Where lots come from.
  pairs jsonb,
  held_out text[],
  seed integer,
  power jsonb,
  readout jsonb,
  void_reason text,
  -- What was tested, in the reporting currency, for each day; null: nobody knows.
  daily_spend numeric,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX experiments_of_entities ON experiments USING gin (entity_ids) WHERE state = 'ended';
ALTER TABLE experiments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON experiments TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON experiments TO tributary_app;
