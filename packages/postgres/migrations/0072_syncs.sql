-- Who replaces the credentials of a connection at the moment: one at a time, since a refresh token may be used once.
ALTER TABLE connections
  ADD COLUMN refresh_holder uuid,
  ADD COLUMN refresh_until timestamptz NOT NULL DEFAULT '-infinity';

-- What was read of each connection so far, and when to read on. A queue by connection.
CREATE TABLE syncs (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  connection_id uuid NOT NULL,
  channel text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('idle', 'queued', 'running', 'failed')),
  -- Infinity: not before somebody connects again.
  due_at timestamptz NOT NULL,
  -- Raised by whoever asks for a run: one that ends meanwhile does not take the wish away.
  wishes bigint NOT NULL DEFAULT 1,
  -- Where the provider is read on, in its own terms. It holds no token.
  position jsonb,
  progress real,
  -- Runs that failed one after the other.
  failures integer NOT NULL DEFAULT 0,
  last_run_at timestamptz,
  last_success_at timestamptz,
  -- The provider's own words of the last run that failed.
  last_error text,
  PRIMARY KEY (profile_id, connection_id),
  FOREIGN KEY (profile_id, connection_id) REFERENCES connections ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX syncs_by_connection ON syncs (connection_id) INCLUDE (profile_id);
ALTER TABLE syncs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON syncs TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON syncs TO tributary_system USING (true);
CREATE POLICY operator ON syncs TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON syncs TO tributary_app;
GRANT SELECT, UPDATE ON syncs TO tributary_system;

CREATE FUNCTION announce_syncs() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  PERFORM announce_work('syncs', ARRAY(SELECT connection_id FROM waiting WHERE due_at <= now()));
  RETURN NULL;
END $$;
CREATE TRIGGER announce_added AFTER INSERT ON syncs
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_syncs();
CREATE TRIGGER announce_changed AFTER UPDATE ON syncs
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_syncs();

-- A limit of the app at a provider stops all its connections until then.
CREATE TABLE provider_pauses (
  channel text PRIMARY KEY,
  until timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON provider_pauses TO tributary_app, tributary_system;
