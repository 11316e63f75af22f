-- A link with which somebody without an account connects an outside account to a profile.
CREATE TABLE handoffs (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  -- The app that minted it; null: the workspace itself.
  app_id uuid REFERENCES apps,
  provider text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'completed', 'failed', 'cancelled')),
  return_url text,
  -- The secret part of its links: found by the hash, and sealed so that a read can show them again.
  capability_hash bytea NOT NULL,
  capability bytea NOT NULL,
  -- The consent that is being finished, and since when. It gives way when it took too long.
  claim uuid,
  claimed_at timestamptz CHECK ((claim IS NULL) = (claimed_at IS NULL)),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  completed_at timestamptz CHECK ((status = 'pending') = (completed_at IS NULL)),
  connection_id uuid,
  candidate_count integer,
  selection_expires_at timestamptz CHECK ((candidate_count IS NULL) = (selection_expires_at IS NULL)),
  reason text CHECK ((status = 'failed' OR status = 'cancelled') = (reason IS NOT NULL)),
  PRIMARY KEY (profile_id, id),
  CHECK ((status = 'completed') = (connection_id IS NOT NULL OR candidate_count IS NOT NULL))
);
CREATE INDEX handoffs_by_capability ON handoffs (capability_hash);
CREATE INDEX handoffs_open ON handoffs (expires_at) WHERE status = 'pending';
CREATE INDEX handoffs_by_life ON handoffs (completed_at);
ALTER TABLE handoffs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON handoffs TO tributary_app USING (profile_id = current_profile());
-- For the look-up below, and whoever wraps secrets anew.
CREATE POLICY operator ON handoffs TO tributary_owner USING (true);
CREATE POLICY sweep ON handoffs TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON handoffs TO tributary_app;
GRANT SELECT (profile_id, id, status, expires_at, claimed_at, completed_at), UPDATE (status, reason, completed_at, claim, claimed_at), DELETE
  ON handoffs TO tributary_system;

-- Whoever holds the link has no profile of their own to stand behind.
CREATE FUNCTION find_handoff(hash bytea) RETURNS TABLE (profile_id uuid, id uuid, workspace_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT h.profile_id, h.id, p.workspace_id FROM handoffs h
  JOIN profiles p ON p.id = h.profile_id AND p.archived_at IS NULL
  WHERE h.capability_hash = hash;
END;
REVOKE ALL ON FUNCTION find_handoff FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_handoff TO tributary_app;

-- What a consent to several accounts left to be chosen from: the newest for each provider. Its id is the hand-off's.
CREATE TABLE pending_selections (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  provider text NOT NULL,
  app_id uuid REFERENCES apps,
  -- Sealed: the way in, and the accounts on offer. Gone once one was chosen or the time is over.
  parked bytea,
  parked_until timestamptz CHECK ((parked IS NULL) = (parked_until IS NULL)),
  candidate_count integer NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  candidate_id text,
  connection_id uuid CHECK ((candidate_id IS NULL) = (connection_id IS NULL)),
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, provider)
);
CREATE INDEX pending_selections_parked ON pending_selections (parked_until) WHERE parked_until IS NOT NULL;
ALTER TABLE pending_selections ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON pending_selections TO tributary_app USING (profile_id = current_profile());
CREATE POLICY operator ON pending_selections TO tributary_owner USING (true);
CREATE POLICY sweep ON pending_selections TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON pending_selections TO tributary_app;
GRANT SELECT (profile_id, id, parked_until), UPDATE (parked, parked_until) ON pending_selections TO tributary_system;
