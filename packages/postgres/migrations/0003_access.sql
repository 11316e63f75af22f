-- Who may do what. An app is registered by the operator and belongs to no profile; all else stands behind a wall.

ALTER TABLE workspaces
  ADD COLUMN plan text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'growth', 'scale')),
  ADD COLUMN provisioned_by uuid,
  ADD COLUMN archived_at timestamptz;

CREATE TABLE apps (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  client_secret_hash bytea NOT NULL,
  redirect_uris text[] NOT NULL,
  allowed_return_origins text[] NOT NULL,
  rate_tier text NOT NULL DEFAULT 'standard' CHECK (rate_tier IN ('standard', 'elevated', 'internal')),
  created_at timestamptz NOT NULL,
  disabled_at timestamptz
);
-- Only the operator, as the owner of the schema, and the look-up functions below see apps.
ALTER TABLE apps ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON apps TO tributary_owner USING (true);

ALTER TABLE profiles
  -- The app that made the profile and decides over its entitlement; null for one that people made themselves.
  ADD COLUMN governing_app_id uuid REFERENCES apps,
  ADD COLUMN is_attribution_enabled boolean NOT NULL DEFAULT true,
  ADD COLUMN archived_at timestamptz;
CREATE POLICY operator ON workspaces TO tributary_owner USING (true);
CREATE POLICY operator ON profiles TO tributary_owner USING (true);

CREATE TABLE grants (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  app_id uuid NOT NULL REFERENCES apps,
  oauth_scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (profile_id, app_id)
);
ALTER TABLE grants ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON grants TO tributary_app USING (profile_id = current_profile());
CREATE POLICY look_up ON grants FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON grants TO tributary_app;

CREATE TABLE api_keys (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  -- Null for a key that a member made in the console; else the app that minted it under its grant.
  app_id uuid REFERENCES apps,
  name text NOT NULL,
  hash bytea NOT NULL,
  prefix text NOT NULL,
  last4 text NOT NULL,
  scopes text[] NOT NULL,
  requests_per_minute integer NOT NULL CHECK (requests_per_minute BETWEEN 1 AND 600000),
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  PRIMARY KEY (profile_id, id)
);
-- The hash of 190 random bits is unique without a constraint that would tell one profile of another's keys.
CREATE INDEX api_keys_by_hash ON api_keys (hash);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON api_keys TO tributary_app USING (profile_id = current_profile());
CREATE POLICY look_up ON api_keys FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO tributary_app;

-- Tokens of the client-credentials grant: an app speaking for a profile it holds a grant on, or for none.
CREATE TABLE app_tokens (
  hash bytea PRIMARY KEY,
  id uuid NOT NULL,
  app_id uuid NOT NULL REFERENCES apps,
  profile_id uuid REFERENCES profiles ON DELETE CASCADE,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX app_tokens_by_expiry ON app_tokens (expires_at);
ALTER TABLE app_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON app_tokens TO tributary_app USING (profile_id = current_profile());
CREATE POLICY look_up ON app_tokens TO tributary_owner USING (true);

-- What must be looked up before a profile is known. Each function answers for the one secret or id it is given and shows
-- no other row; batches are for many requests that arrive at once.
CREATE TYPE credential AS (
  hash bytea,
  kind text,
  credential_id uuid,
  profile_id uuid,
  workspace_id uuid,
  app_id uuid,
  scopes text[],
  granted text[],
  requests_per_minute integer,
  is_attribution_enabled boolean,
  is_healthcare boolean
);

CREATE FUNCTION find_credentials(hashes bytea[], at timestamptz) RETURNS SETOF credential
  -- plpgsql keeps the plan for the session; a function in SQL would be planned anew at every request.
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT k.hash, 'api_key', k.id, p.id, p.workspace_id, k.app_id, k.scopes,
    CASE WHEN k.app_id IS NULL THEN NULL ELSE coalesce(g.oauth_scopes, '{}') END,
    k.requests_per_minute, p.is_attribution_enabled,
    w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM api_keys k
  JOIN profiles p ON p.id = k.profile_id AND p.archived_at IS NULL
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN apps a ON a.id = k.app_id
  LEFT JOIN grants g ON g.profile_id = k.profile_id AND g.app_id = k.app_id AND g.revoked_at IS NULL
  WHERE k.hash = ANY (hashes) AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > at)
    AND a.disabled_at IS NULL
  UNION ALL
  SELECT t.hash, 'app', t.id, p.id, p.workspace_id, t.app_id, t.scopes,
    CASE WHEN t.profile_id IS NULL THEN NULL ELSE coalesce(g.oauth_scopes, '{}') END,
    CASE a.rate_tier WHEN 'internal' THEN 6000 WHEN 'elevated' THEN 1200 ELSE 300 END, coalesce(p.is_attribution_enabled, true),
    coalesce(w.is_healthcare_agency OR p.privacy_mode <> 'standard', true)
  FROM app_tokens t
  JOIN apps a ON a.id = t.app_id AND a.disabled_at IS NULL
  LEFT JOIN profiles p ON p.id = t.profile_id AND p.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN grants g ON g.profile_id = t.profile_id AND g.app_id = t.app_id AND g.revoked_at IS NULL
  WHERE t.hash = ANY (hashes) AND t.expires_at > at AND (t.profile_id IS NULL OR w.id IS NOT NULL);
END $$;
REVOKE ALL ON FUNCTION find_credentials FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_credentials TO tributary_app;
