-- A profile's link to an outside account. One account is connected to at most one profile of a workspace.
CREATE TABLE connections (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  -- The app through whose hand-off it came; null: made in the console.
  app_id uuid REFERENCES apps,
  channel text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'connected', 'needs_action', 'reconnect_required', 'disconnected')),
  external_id text NOT NULL,
  name text NOT NULL,
  granted text[] NOT NULL DEFAULT '{}',
  -- What was learned or asked at the consent: time zone, currency. Nothing secret.
  details jsonb NOT NULL DEFAULT '{}',
  -- Sealed, and gone when it is disconnected.
  credentials bytea,
  -- Counts replacements of the credentials, so that a worker that was asleep does not write an old pair over a new one.
  credentials_revision integer NOT NULL DEFAULT 1,
  connected_at timestamptz NOT NULL,
  disconnected_at timestamptz,
  PRIMARY KEY (profile_id, id)
);
CREATE UNIQUE INDEX connections_by_account ON connections (workspace_id, channel, external_id) WHERE status <> 'disconnected';
CREATE INDEX connections_by_outside ON connections (channel, external_id) WHERE status <> 'disconnected';
ALTER TABLE connections ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON connections TO tributary_app USING (profile_id = current_profile());
CREATE POLICY operator ON connections TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON connections TO tributary_app;
