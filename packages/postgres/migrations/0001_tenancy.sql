-- The profile is the wall: every table with a profile_id is bound by forced row-level security, from the first one on.
-- Whoever may read is said by name; a role that no policy names sees nothing.

CREATE FUNCTION current_profile() RETURNS uuid
  LANGUAGE sql STABLE PARALLEL SAFE
  -- A pooled connection keeps an empty setting after its first transaction; NULLIF spares the cast.
  RETURN NULLIF(current_setting('app.profile_id', true), '')::uuid;

CREATE FUNCTION current_workspace() RETURNS uuid
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN NULLIF(current_setting('app.workspace_id', true), '')::uuid;

CREATE TABLE workspaces (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  is_healthcare_agency boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL
);
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON workspaces TO tributary_app USING (id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON workspaces TO tributary_app;

CREATE TABLE profiles (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces,
  name text NOT NULL,
  privacy_mode text NOT NULL DEFAULT 'standard' CHECK (privacy_mode IN ('standard', 'platform_safe', 'hipaa')),
  time_zone text NOT NULL DEFAULT 'UTC',
  reporting_currency text NOT NULL DEFAULT 'USD' CHECK (reporting_currency ~ '^[A-Z]{3}$'),
  created_at timestamptz NOT NULL
);
CREATE INDEX profiles_by_workspace ON profiles (workspace_id, id);
ALTER TABLE profiles ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON profiles TO tributary_app USING (id = current_profile() OR workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON profiles TO tributary_app;
