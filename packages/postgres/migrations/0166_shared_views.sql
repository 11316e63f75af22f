-- Links that show one report of one profile to whoever has them, without signing in. Only a hash of the secret is kept.
CREATE TABLE shared_views (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  hash bytea NOT NULL,
  name text NOT NULL,
  -- The page of the console, and what stands after its question mark besides the days.
  page text NOT NULL,
  search text NOT NULL,
  -- No other days are shown.
  date_from date NOT NULL,
  date_to date NOT NULL,
  made_by uuid NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX shared_views_by_hash ON shared_views (hash);
ALTER TABLE shared_views ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON shared_views TO tributary_app USING (profile_id = current_profile());
CREATE POLICY operator ON shared_views TO tributary_owner USING (true);
CREATE POLICY sweep ON shared_views TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON shared_views TO tributary_app;
GRANT SELECT (profile_id, id, revoked_at, expires_at), DELETE ON shared_views TO tributary_system;
CREATE INDEX shared_views_by_revocation ON shared_views (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX shared_views_by_expiry ON shared_views (expires_at) WHERE expires_at IS NOT NULL;

-- Whoever shows the secret is nobody yet, so it is looked for past the wall. None of a healthcare-family profile is live.
CREATE FUNCTION find_shared_view(secret bytea, at timestamptz)
  RETURNS TABLE (id uuid, profile_id uuid, workspace_id uuid, page text, date_from text, date_to text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT v.id, p.id, p.workspace_id, v.page, v.date_from::text, v.date_to::text
  FROM shared_views v
  JOIN profiles p ON p.id = v.profile_id AND p.archived_at IS NULL AND p.privacy_mode = 'standard'
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL AND NOT w.is_healthcare_agency
  WHERE v.hash = secret AND v.revoked_at IS NULL AND (v.expires_at IS NULL OR v.expires_at > at)
$$;
REVOKE ALL ON FUNCTION find_shared_view FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_shared_view TO tributary_app;
