-- What happened, for whoever follows. A business transaction writes its events to the outbox; they count once it commits.
-- One sequencer then moves them to event_log and numbers them there. A number given inside the business transaction would
-- become visible out of order, and a reader that had already passed it would never see the event.

CREATE TABLE outbox (
  id uuid PRIMARY KEY,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  type text NOT NULL,
  -- Ids and facts only, never a person: who it was is read when the event is delivered.
  payload jsonb NOT NULL,
  occurred_at timestamptz NOT NULL
);
ALTER TABLE outbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON outbox TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON outbox TO tributary_system USING (true);
GRANT SELECT, INSERT ON outbox TO tributary_app;
GRANT SELECT, DELETE ON outbox TO tributary_system;

CREATE TABLE event_log (
  sequence bigint PRIMARY KEY,
  id uuid NOT NULL,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  type text NOT NULL,
  payload jsonb NOT NULL,
  occurred_at timestamptz NOT NULL,
  sequenced_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX event_log_by_profile ON event_log (profile_id, sequence);
ALTER TABLE event_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON event_log TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON event_log TO tributary_system USING (true);
GRANT SELECT ON event_log TO tributary_app;
GRANT SELECT, INSERT, DELETE ON event_log TO tributary_system;

-- The last number given. Its row lock is what makes the sequencer single: a second one, or the connection of one that was
-- killed and has not been noticed yet, waits here, so numbers become visible in their order and without gaps.
CREATE TABLE event_counter (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  last bigint NOT NULL
);
INSERT INTO event_counter (last) VALUES (0);
GRANT SELECT, UPDATE ON event_counter TO tributary_system;

CREATE INDEX event_log_by_time ON event_log (sequenced_at);
