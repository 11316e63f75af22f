-- When the last visit of a profile came, to within some minutes, so that nobody has to go through all visits to find out who is silent.
CREATE TABLE last_visits (
  profile_id uuid PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
  received_at timestamptz NOT NULL
);
ALTER TABLE last_visits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON last_visits TO tributary_app USING (profile_id = current_profile());
CREATE POLICY noted ON last_visits TO tributary_owner USING (true);
CREATE POLICY watched ON last_visits FOR SELECT TO tributary_system USING (true);
GRANT SELECT, DELETE ON last_visits TO tributary_app;
GRANT SELECT ON last_visits TO tributary_system;

-- Visits of many profiles came at these times. A row that says about the same already is left alone, and not even locked.
CREATE FUNCTION note_last_visits(profile_ids uuid[], came_at timestamptz[], step interval) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
  INSERT INTO last_visits AS l (profile_id, received_at)
  SELECT v.profile_id, max(v.at) FROM unnest(profile_ids, came_at) AS v (profile_id, at)
  LEFT JOIN last_visits known ON known.profile_id = v.profile_id
  WHERE known.profile_id IS NULL OR known.received_at < v.at - step
  GROUP BY v.profile_id ORDER BY v.profile_id
  ON CONFLICT (profile_id) DO UPDATE SET received_at = greatest(l.received_at, excluded.received_at)
$$;
REVOKE ALL ON FUNCTION note_last_visits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_last_visits TO tributary_app;

-- Profiles after `after` of which something about ads has been waiting to be copied since before `since`. Like list_waiting_attribution; of each,
-- as many are looked at as a report looks at.
CREATE FUNCTION list_waiting_delivery(after uuid, since timestamptz, most integer, looked integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE
AS $$ DECLARE
  candidate uuid := after;
  oldest timestamptz;
  found_ones integer := 0;
BEGIN
  LOOP
    candidate := least(
      (SELECT e.profile_id FROM dirty_entities e WHERE e.profile_id > candidate ORDER BY e.profile_id LIMIT 1),
      (SELECT d.profile_id FROM dirty_delivery d WHERE d.profile_id > candidate ORDER BY d.profile_id LIMIT 1));
    EXIT WHEN candidate IS NULL OR found_ones = most;
    oldest := least(
      (SELECT min(marked_at) FROM (
        SELECT marked_at FROM dirty_entities WHERE profile_id = candidate ORDER BY entity_id LIMIT looked) e),
      (SELECT min(marked_at) FROM (
        SELECT marked_at FROM dirty_delivery WHERE profile_id = candidate ORDER BY entity_id, day LIMIT looked) d));
    IF oldest <= since THEN
      found_ones := found_ones + 1;
      RETURN NEXT candidate;
    END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION list_waiting_delivery FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_waiting_delivery TO tributary_system;

-- What is wrong with a profile's data, from when it was noticed until it was over. One of a kind is open at a time, so nobody is told twice.
CREATE TABLE alerts (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('tracker_silent', 'figures_late')),
  -- Since when it is so: the last visit, or the change that has waited longest.
  since timestamptz NOT NULL,
  opened_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (profile_id, id)
);
CREATE UNIQUE INDEX alerts_one_open ON alerts (profile_id, kind) WHERE ended_at IS NULL;
CREATE INDEX alerts_by_age ON alerts (ended_at) WHERE ended_at IS NOT NULL;
ALTER TABLE alerts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON alerts TO tributary_app USING (profile_id = current_profile());
CREATE POLICY watched ON alerts TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON alerts TO tributary_app;
GRANT SELECT, DELETE ON alerts TO tributary_system;

-- Whether a member wants to be told by e-mail, and in which language. Who has said nothing is told according to their role.
CREATE TABLE alert_wishes (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  user_id uuid NOT NULL,
  is_wanted boolean NOT NULL,
  language text NOT NULL,
  PRIMARY KEY (profile_id, user_id)
);
ALTER TABLE alert_wishes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON alert_wishes TO tributary_app USING (profile_id = current_profile());
CREATE POLICY operator ON alert_wishes TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON alert_wishes TO tributary_app;

-- One for each member who is told that an alert was opened, or is over. `sending` before the first byte leaves, like report_mail_deliveries.
CREATE TABLE alert_mails (
  profile_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  moment text NOT NULL CHECK (moment IN ('opened', 'ended')),
  user_id uuid NOT NULL,
  language text NOT NULL,
  made_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'failed')),
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  -- When it is looked at next; never again, once it is sent or has failed.
  due_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, alert_id, moment, user_id),
  FOREIGN KEY (profile_id, alert_id) REFERENCES alerts ON DELETE CASCADE
);
CREATE INDEX alert_mails_due ON alert_mails (profile_id, due_at);
CREATE INDEX alert_mails_by_age ON alert_mails (made_at);
ALTER TABLE alert_mails ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON alert_mails TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON alert_mails TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON alert_mails TO tributary_app;
GRANT SELECT (profile_id, alert_id, moment, user_id, made_at, state, due_at), UPDATE (state, reason, due_at), DELETE ON alert_mails TO tributary_system;
CREATE TRIGGER announce_added AFTER INSERT ON alert_mails
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('alert-mails');
