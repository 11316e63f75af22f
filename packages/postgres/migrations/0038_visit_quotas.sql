-- What broken visits may take up, and what was sent away: both are told to the profile, and neither grows for ever.

-- Past a day's bytes a broken visit leaves its reason only: it is counted, and there is nothing to replay.
ALTER TABLE bad_visits ALTER COLUMN sealed DROP NOT NULL;
-- They have a life; the system looks for those that are past it, and sees nothing of what was sent.
CREATE INDEX bad_visits_by_age ON bad_visits (received_at);
CREATE POLICY queue ON bad_visits TO tributary_system USING (true);
GRANT SELECT (profile_id, id, received_at), DELETE ON bad_visits TO tributary_system;

-- Bytes of the broken visits that are kept of a day (UTC).
CREATE TABLE bad_visit_days (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  day date NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (profile_id, day)
);
ALTER TABLE bad_visit_days ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON bad_visit_days TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON bad_visit_days TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON bad_visit_days TO tributary_app;
GRANT SELECT, DELETE ON bad_visit_days TO tributary_system;

-- Visits that collectors sent away on a day (UTC). Each collector tells how many they are by now: told twice it is the same.
CREATE TABLE refused_visits (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  day date NOT NULL,
  reason text NOT NULL,
  -- The process that counted.
  teller uuid NOT NULL,
  visits bigint NOT NULL,
  PRIMARY KEY (profile_id, day, reason, teller)
);
ALTER TABLE refused_visits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON refused_visits TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON refused_visits TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON refused_visits TO tributary_app;
GRANT SELECT, DELETE ON refused_visits TO tributary_system;

-- A collector also asks whether the people of a profile have to say yes first.
DROP FUNCTION find_tracking_keys;
CREATE FUNCTION find_tracking_keys(keys text[])
  RETURNS TABLE (key text, profile_id uuid, plan text, allowed_hosts text[], own_hosts text[], keeps_city boolean, daily_visit_quota integer,
    is_consent_required boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT k.key, p.id, w.plan, coalesce(s.allowed_hosts, '{}'), coalesce(s.own_hosts, '{}'), coalesce(s.keeps_city, true), s.daily_visit_quota,
    coalesce(s.is_consent_required, false)
  FROM tracking_keys k
  JOIN profiles p ON p.id = k.profile_id AND p.archived_at IS NULL
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN tracking_settings s ON s.profile_id = k.profile_id
  WHERE k.key = ANY (keys) AND k.revoked_at IS NULL;
END $$;
REVOKE ALL ON FUNCTION find_tracking_keys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_tracking_keys TO tributary_app;
