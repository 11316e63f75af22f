-- Reading who converted, newest first, and who is to be scored.

-- A definition may list an event's type instead of its name. Where the two are the same, outcomes_by_event has it already.
CREATE INDEX outcomes_by_type ON outcomes (profile_id, event_type_key, occurred_at, id) WHERE event_type_key <> event_key;

-- The profiles whose ads are scored, so that a worker finds those that are due without seeing anything of theirs. Whoever died over
-- one leaves it to the next when its time is up.
CREATE TABLE score_rebuilds (
  profile_id uuid PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
  rebuilt_at timestamptz NOT NULL DEFAULT '-infinity',
  taken_until timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE INDEX score_rebuilds_by_age ON score_rebuilds (rebuilt_at, profile_id);
ALTER TABLE score_rebuilds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON score_rebuilds TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON score_rebuilds TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON score_rebuilds TO tributary_app;
GRANT SELECT, INSERT, UPDATE ON score_rebuilds TO tributary_system;
