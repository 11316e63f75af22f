-- People: who they are, how they sign in, which workspaces they belong to, and which assistants they let speak for them.
-- A person belongs to no profile, so these tables carry none. Those that better-auth reads and writes (users to
-- oauth_client_assertions) have the columns it expects, each role only the rights it needs.

CREATE TABLE users (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  email_verified boolean NOT NULL DEFAULT false,
  image text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON users TO tributary_app;

-- How a person signs in. The one way today is a password, kept as its argon2id hash.
CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  account_id text NOT NULL,
  provider_id text NOT NULL,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (provider_id, account_id)
);
CREATE INDEX accounts_by_user ON accounts (user_id);
GRANT SELECT, INSERT, UPDATE ON accounts TO tributary_app;

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  -- SHA-256 in hexadecimal of what the cookie holds, which is kept nowhere.
  token text NOT NULL UNIQUE,
  ip_address text,
  user_agent text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
GRANT SELECT, INSERT, DELETE ON sessions TO tributary_app;
GRANT SELECT (id, expires_at), DELETE ON sessions TO tributary_system;

-- What is shown once and used once: authorization codes, by their hash.
CREATE TABLE verifications (
  id uuid PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX verifications_by_identifier ON verifications (identifier);
CREATE INDEX verifications_by_expiry ON verifications (expires_at);
GRANT SELECT, INSERT, DELETE ON verifications TO tributary_app;
GRANT SELECT (id, expires_at), DELETE ON verifications TO tributary_system;

-- Assistants. They register themselves, so a row here is worth nothing until a person consents.
CREATE TABLE oauth_clients (
  id uuid PRIMARY KEY,
  client_id text NOT NULL UNIQUE,
  client_secret text,
  client_discovery_id text,
  disabled boolean DEFAULT false,
  skip_consent boolean,
  enable_end_session boolean,
  subject_type text,
  scopes jsonb,
  client_credentials_scopes jsonb,
  user_id uuid REFERENCES users ON DELETE SET NULL,
  name text,
  uri text,
  icon text,
  contacts jsonb,
  tos text,
  policy text,
  software_id text,
  software_version text,
  software_statement text,
  redirect_uris jsonb NOT NULL,
  post_logout_redirect_uris jsonb,
  backchannel_logout_uri text,
  backchannel_logout_session_required boolean,
  token_endpoint_auth_method text,
  application_type text,
  jwks text,
  jwks_uri text,
  grant_types jsonb,
  response_types jsonb,
  require_pkce boolean,
  dpop_bound_access_tokens boolean DEFAULT false,
  reference_id text,
  metadata jsonb,
  created_at timestamptz,
  updated_at timestamptz
);
GRANT SELECT, INSERT ON oauth_clients TO tributary_app;

-- What tokens are for: our own MCP endpoint, written when the API starts.
CREATE TABLE oauth_resources (
  id uuid PRIMARY KEY,
  identifier text NOT NULL UNIQUE,
  name text NOT NULL,
  access_token_ttl integer,
  refresh_token_ttl integer,
  signing_algorithm text,
  signing_key_id text,
  allowed_scopes jsonb,
  custom_claims jsonb,
  dpop_bound_access_tokens_required boolean DEFAULT false,
  disabled boolean DEFAULT false,
  policy_version integer DEFAULT 1,
  metadata jsonb,
  created_at timestamptz,
  updated_at timestamptz
);
GRANT SELECT, INSERT ON oauth_resources TO tributary_app;

CREATE TABLE oauth_client_resources (
  id uuid PRIMARY KEY,
  client_id text NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
  resource_id text NOT NULL REFERENCES oauth_resources (identifier) ON DELETE CASCADE,
  metadata jsonb,
  created_at timestamptz,
  UNIQUE (client_id, resource_id)
);
CREATE INDEX oauth_client_resources_by_resource ON oauth_client_resources (resource_id);
GRANT SELECT, INSERT ON oauth_client_resources TO tributary_app;

-- No refresh token is issued: an access token lives as long as the session that allowed it, and is looked at on each use.
CREATE TABLE oauth_refresh_tokens (
  id uuid PRIMARY KEY,
  token text NOT NULL UNIQUE,
  client_id text NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
  session_id uuid REFERENCES sessions ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  reference_id text,
  authorization_code_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  scopes jsonb NOT NULL,
  auth_time timestamptz,
  confirmation jsonb,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked timestamptz,
  rotated_at timestamptz,
  rotation_replay_response text,
  rotation_replay_expires_at timestamptz
);
CREATE INDEX oauth_refresh_tokens_by_session ON oauth_refresh_tokens (session_id);
GRANT SELECT, DELETE ON oauth_refresh_tokens TO tributary_app;

CREATE TABLE oauth_access_tokens (
  id uuid PRIMARY KEY,
  -- Its hash.
  token text NOT NULL UNIQUE,
  client_id text NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
  -- Signing out ends what was allowed while signed in.
  session_id uuid REFERENCES sessions ON DELETE CASCADE,
  user_id uuid REFERENCES users ON DELETE CASCADE,
  -- The profile that was chosen at consent.
  reference_id uuid REFERENCES profiles ON DELETE CASCADE,
  authorization_code_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  refresh_id uuid REFERENCES oauth_refresh_tokens ON DELETE CASCADE,
  scopes jsonb NOT NULL,
  confirmation jsonb,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked timestamptz
);
CREATE INDEX oauth_access_tokens_by_session ON oauth_access_tokens (session_id);
CREATE INDEX oauth_access_tokens_by_code ON oauth_access_tokens (authorization_code_id);
CREATE INDEX oauth_access_tokens_by_profile ON oauth_access_tokens (reference_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_access_tokens TO tributary_app;

CREATE TABLE oauth_consents (
  id uuid PRIMARY KEY,
  client_id text NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
  user_id uuid REFERENCES users ON DELETE CASCADE,
  reference_id uuid REFERENCES profiles ON DELETE CASCADE,
  resources jsonb,
  requested_user_info_claims jsonb,
  scopes jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX oauth_consents_by_user ON oauth_consents (user_id, client_id, reference_id);
CREATE INDEX oauth_consents_by_profile ON oauth_consents (reference_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_consents TO tributary_app;

CREATE TABLE oauth_client_assertions (
  id text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

-- Belonging to a workspace is the workspace's own matter, behind its wall.
CREATE TABLE members (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'analyst', 'viewer')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id);
ALTER TABLE members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON members TO tributary_app USING (workspace_id = current_workspace());
CREATE POLICY look_up ON members FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON members TO tributary_app;

CREATE TABLE invitations (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id uuid NOT NULL,
  hash bytea NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'analyst', 'viewer')),
  -- When given, only this address may accept.
  email text CHECK (email = lower(email)),
  invited_by uuid REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  accepted_by uuid REFERENCES users ON DELETE SET NULL,
  revoked_at timestamptz,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX invitations_by_hash ON invitations (hash);
ALTER TABLE invitations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON invitations TO tributary_app USING (workspace_id = current_workspace());
CREATE POLICY look_up ON invitations FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE ON invitations TO tributary_app;

-- Whoever loses a role must not receive what is on its way out under it: the change waits for it (see the privacy lock).
CREATE FUNCTION take_workspace_privacy_lock() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(privacy_lock(OLD.workspace_id));
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER access_switch BEFORE UPDATE OF role OR DELETE ON members
  FOR EACH ROW EXECUTE FUNCTION take_workspace_privacy_lock();

-- What must be looked up before a workspace is known. Each answers for the one secret or person it is given.

-- A session, and what its person may do where they say they act: in a profile, or in a workspace. A foreign one and one that
-- does not exist look alike: no workspace, no role.
CREATE FUNCTION find_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamptz)
  RETURNS TABLE (
    session_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text,
    is_attribution_enabled boolean, is_healthcare boolean
  )
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT s.id, s.user_id, m.workspace_id, p.id, m.role, p.is_attribution_enabled,
    w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM sessions s
  LEFT JOIN profiles named ON named.id = wanted_profile AND named.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = coalesce(wanted_workspace, named.workspace_id) AND w.archived_at IS NULL
  LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = s.user_id
  LEFT JOIN profiles p ON p.id = named.id AND p.workspace_id = m.workspace_id
  WHERE s.token = session_hash AND s.expires_at > at;
END;
REVOKE ALL ON FUNCTION find_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_session TO tributary_app;

-- A person's workspaces and the profiles in them, one row per profile; a workspace without one has one row.
CREATE FUNCTION find_memberships(person uuid)
  RETURNS TABLE (workspace_id uuid, workspace_name text, role text, profile_id uuid, profile_name text, is_healthcare boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT w.id, w.name, m.role, p.id, p.name, w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM members m
  JOIN workspaces w ON w.id = m.workspace_id AND w.archived_at IS NULL
  LEFT JOIN profiles p ON p.workspace_id = w.id AND p.archived_at IS NULL
  WHERE m.user_id = person
  ORDER BY w.name, w.id, p.name, p.id;
END;
REVOKE ALL ON FUNCTION find_memberships FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_memberships TO tributary_app;

CREATE FUNCTION find_invitation(invitation_hash bytea)
  RETURNS TABLE (
    id uuid, workspace_id uuid, role text, email text, expires_at timestamptz,
    is_accepted boolean, is_revoked boolean, is_workspace_archived boolean
  )
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT i.id, i.workspace_id, i.role, i.email, i.expires_at,
    i.accepted_at IS NOT NULL, i.revoked_at IS NOT NULL, w.archived_at IS NOT NULL
  FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
  WHERE i.hash = invitation_hash;
END;
REVOKE ALL ON FUNCTION find_invitation FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_invitation TO tributary_app;

-- An assistant's token, as long as all it rests on still stands: the session, the consent to this profile, the membership.
CREATE FUNCTION find_mcp_token(token_hash text, at timestamptz)
  RETURNS TABLE (
    token_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, granted text[],
    is_attribution_enabled boolean, is_healthcare boolean
  )
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT t.id, t.user_id, m.workspace_id, p.id, m.role,
    -- A later consent may have taken something back.
    ARRAY(SELECT jsonb_array_elements_text(t.scopes) INTERSECT SELECT jsonb_array_elements_text(c.scopes)),
    p.is_attribution_enabled, w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM oauth_access_tokens t
  JOIN sessions s ON s.id = t.session_id AND s.user_id = t.user_id AND s.expires_at > at
  JOIN oauth_clients a ON a.client_id = t.client_id AND a.disabled IS NOT TRUE
  JOIN oauth_consents c ON c.client_id = t.client_id AND c.user_id = t.user_id AND c.reference_id = t.reference_id
  JOIN profiles p ON p.id = t.reference_id AND p.archived_at IS NULL
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  JOIN members m ON m.workspace_id = w.id AND m.user_id = t.user_id
  WHERE t.token = token_hash AND t.expires_at > at AND t.revoked IS NULL;
END;
REVOKE ALL ON FUNCTION find_mcp_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_mcp_token TO tributary_app;
