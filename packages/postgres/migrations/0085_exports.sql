-- What is told to an ad platform of outcomes: to which dataset, under which names and how often.
CREATE TABLE export_targets (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  dataset text NOT NULL,
  -- A dataset that never heard of a person, for a profile that is platform_safe, and whether exports go there.
  clean_dataset text,
  uses_clean boolean NOT NULL DEFAULT false,
  -- Where events of chats that an ad opened go: the business account and its dataset.
  messaging_account text,
  messaging_dataset text,
  -- The platform's name for each kind of conversion that is told.
  events jsonb NOT NULL,
  every_minutes integer NOT NULL,
  is_enabled boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, connection_id)
);
ALTER TABLE export_targets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON export_targets TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON export_targets TO tributary_app;

-- One for each outcome and target. Whose outcome it is, is read when it is sent.
CREATE TABLE export_events (
  profile_id uuid NOT NULL,
  target_id uuid NOT NULL,
  outcome_id uuid NOT NULL,
  -- The run that it belongs to begins then.
  scheduled_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  status text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'processing', 'sent', 'refused', 'withheld', 'unknown')),
  reason text,
  -- Since when the platform may have it: kept before the first byte leaves.
  first_sent_at timestamptz,
  -- What the platform calls the batch while it works it off.
  ticket text,
  -- It is sent with at most so many others, since a larger batch was refused.
  most_together integer,
  PRIMARY KEY (profile_id, target_id, outcome_id),
  FOREIGN KEY (profile_id, target_id) REFERENCES export_targets ON DELETE CASCADE
);
CREATE INDEX export_events_due ON export_events (profile_id, due_at) WHERE status IN ('waiting', 'processing');
CREATE INDEX export_events_by_run ON export_events (profile_id, target_id, scheduled_at, status);
CREATE INDEX export_events_by_age ON export_events USING brin (scheduled_at);
ALTER TABLE export_events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON export_events TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON export_events TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON export_events TO tributary_app;
GRANT SELECT (profile_id, target_id, outcome_id, status, due_at, scheduled_at), UPDATE (status, reason, due_at), DELETE ON export_events TO tributary_system;
CREATE TRIGGER announce_added AFTER INSERT ON export_events
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('exports');

CREATE TABLE export_runs (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  target_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  channel text NOT NULL,
  scheduled_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
  conversions integer NOT NULL,
  sent integer NOT NULL,
  refused integer NOT NULL,
  withheld integer NOT NULL,
  unknown integer NOT NULL,
  settled_at timestamptz,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, target_id, scheduled_at)
);
CREATE INDEX export_runs_by_age ON export_runs USING brin (scheduled_at);
ALTER TABLE export_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON export_runs TO tributary_app USING (profile_id = current_profile());
CREATE POLICY sweep ON export_runs TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON export_runs TO tributary_app;
GRANT SELECT (profile_id, id, scheduled_at), DELETE ON export_runs TO tributary_system;

-- An outcome waits for every target of its profile from the moment it is there, whoever recorded it. Where there is none, this costs a look.
CREATE FUNCTION export_outcomes() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  INSERT INTO export_events (profile_id, target_id, outcome_id, scheduled_at, due_at)
  SELECT n.profile_id, t.id, n.id, tick, tick
  FROM new_rows n
  JOIN export_targets t ON t.profile_id = n.profile_id AND t.is_enabled
  CROSS JOIN LATERAL (SELECT date_bin(make_interval(mins => t.every_minutes), now(), 'epoch') + make_interval(mins => t.every_minutes) AS tick) s
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER outcomes_exported AFTER INSERT ON outcomes
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION export_outcomes();
