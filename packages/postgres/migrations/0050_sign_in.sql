-- Signing in: a second factor, and sessions that end when nobody uses them.

-- better-auth's words. Secret and codes are sealed by it under the session keys of the service.
ALTER TABLE users ADD COLUMN two_factor_enabled boolean NOT NULL DEFAULT false;
GRANT UPDATE (two_factor_enabled, updated_at) ON users TO tributary_app;
CREATE TABLE two_factors (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
  secret text NOT NULL,
  backup_codes text NOT NULL,
  -- Not before a first code has shown that the secret arrived.
  verified boolean NOT NULL DEFAULT false,
  failed_verification_count integer NOT NULL DEFAULT 0,
  locked_until timestamptz
);
GRANT SELECT, INSERT, UPDATE, DELETE ON two_factors TO tributary_app;

ALTER TABLE sessions ADD COLUMN seen_at timestamptz;

-- As before, and of a session that nobody has used for a while nothing is found.
CREATE FUNCTION find_live_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamptz, idle interval)
  RETURNS TABLE (session_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, is_attribution_enabled boolean, is_healthcare boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT s.id, s.user_id, m.workspace_id, p.id, m.role, p.is_attribution_enabled,
    w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM sessions s
  LEFT JOIN profiles named ON named.id = wanted_profile AND named.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = coalesce(wanted_workspace, named.workspace_id) AND w.archived_at IS NULL
  LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = s.user_id
  LEFT JOIN profiles p ON p.id = named.id AND p.workspace_id = m.workspace_id
  WHERE s.token = session_hash AND s.expires_at > at AND coalesce(s.seen_at, s.created_at) > at - idle;
END $$;
REVOKE ALL ON FUNCTION find_live_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_live_session TO tributary_app;

-- Notes that sessions were used, like note_key_use.
CREATE FUNCTION note_session_use(session_ids uuid[], at timestamptz) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
  UPDATE sessions s SET seen_at = at
  FROM (SELECT id FROM sessions WHERE id = ANY (session_ids) FOR NO KEY UPDATE SKIP LOCKED) used
  WHERE s.id = used.id AND (s.seen_at IS NULL OR s.seen_at < at)
$$;
REVOKE ALL ON FUNCTION note_session_use FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_session_use TO tributary_app;
