-- Who read personal data, and who changed what. Both are written by functions that only add; nobody may edit them.

CREATE TABLE pii_access_log (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  at timestamptz NOT NULL,
  actor_kind text NOT NULL,
  actor_id uuid NOT NULL,
  operation text NOT NULL,
  people integer NOT NULL,
  result text NOT NULL CHECK (result IN ('served', 'refused')),
  request_id text NOT NULL,
  PRIMARY KEY (workspace_id, at, id)
);
CREATE INDEX pii_access_log_by_time ON pii_access_log (at);
ALTER TABLE pii_access_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON pii_access_log FOR INSERT TO tributary_app WITH CHECK (profile_id = current_profile());
-- The log is read by the owners and admins of the workspace, over all of its profiles.
CREATE POLICY own_workspace ON pii_access_log FOR SELECT TO tributary_app USING (workspace_id = current_workspace());
CREATE POLICY queue ON pii_access_log TO tributary_system USING (true);
GRANT SELECT, INSERT ON pii_access_log TO tributary_app;
GRANT SELECT, DELETE ON pii_access_log TO tributary_system;

CREATE TABLE audit_log (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  sequence bigint NOT NULL,
  at timestamptz NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  action text NOT NULL,
  result text NOT NULL CHECK (result IN ('done', 'refused')),
  -- Ids and words of our own, never a person.
  target text NOT NULL,
  detail jsonb NOT NULL,
  request_id text NOT NULL,
  previous_hash bytea NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (workspace_id, sequence)
);
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON audit_log FOR SELECT TO tributary_app USING (workspace_id = current_workspace());
CREATE POLICY append ON audit_log TO tributary_owner USING (true);
GRANT SELECT ON audit_log TO tributary_app;

-- The last link of each workspace's chain. Its row lock puts concurrent entries in order.
CREATE TABLE audit_heads (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
  sequence bigint NOT NULL,
  hash bytea NOT NULL
);
ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY append ON audit_heads TO tributary_owner USING (true);

-- Each entry's hash covers the one before it, so that an entry cannot be changed, dropped or moved without all later ones
-- showing it. `tributary audit verify` recomputes the chain from the same text.
CREATE FUNCTION append_audit(
  workspace uuid, entry_at timestamptz, actor_kind text, actor_id text, action text, result text, target text, detail jsonb, request_id text
) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
DECLARE
  head audit_heads;
  entry_hash bytea;
BEGIN
  IF workspace IS DISTINCT FROM current_workspace()
    AND NOT EXISTS (SELECT FROM profiles WHERE id = current_profile() AND workspace_id = workspace) THEN
    RAISE EXCEPTION 'an audit entry belongs to the workspace of its transaction' USING ERRCODE = '42501';
  END IF;
  INSERT INTO audit_heads VALUES (workspace, 0, '\x') ON CONFLICT DO NOTHING;
  SELECT * INTO head FROM audit_heads WHERE audit_heads.workspace_id = workspace FOR UPDATE;
  entry_hash := sha256(head.hash || convert_to(jsonb_build_array(
    workspace, head.sequence + 1, (extract(epoch FROM entry_at) * 1000)::bigint, actor_kind, actor_id, action, result, target, detail, request_id
  )::text, 'UTF8'));
  INSERT INTO audit_log VALUES (workspace, head.sequence + 1, entry_at, actor_kind, actor_id, action, result, target, detail, request_id, head.hash, entry_hash);
  UPDATE audit_heads SET sequence = head.sequence + 1, hash = entry_hash WHERE audit_heads.workspace_id = workspace;
  RETURN head.sequence + 1;
END $$;
REVOKE ALL ON FUNCTION append_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_audit TO tributary_app;

-- The privacy lock. Whoever is about to hand out personal data holds it shared; a change of privacy takes it alone, by these
-- triggers and so whoever makes the change. Advisory locks queue in order, so readers cannot starve a switch, as the row locks
-- of Postgres would let them.
CREATE FUNCTION privacy_lock(id uuid) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN hashtextextended(id::text, 7034);

CREATE FUNCTION take_privacy_lock() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(privacy_lock(OLD.id));
  RETURN NEW;
END $$;

CREATE TRIGGER privacy_switch BEFORE UPDATE OF privacy_mode, archived_at ON profiles
  FOR EACH ROW EXECUTE FUNCTION take_privacy_lock();
CREATE TRIGGER privacy_switch BEFORE UPDATE OF is_healthcare_agency, archived_at ON workspaces
  FOR EACH ROW EXECUTE FUNCTION take_privacy_lock();

-- A grant that narrows or a key that is revoked must stop what is on its way out, too.
CREATE FUNCTION take_profile_privacy_lock() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(privacy_lock(OLD.profile_id));
  RETURN NEW;
END $$;
CREATE TRIGGER access_switch BEFORE UPDATE OF oauth_scopes, revoked_at ON grants
  FOR EACH ROW EXECUTE FUNCTION take_profile_privacy_lock();
CREATE TRIGGER access_switch BEFORE UPDATE OF revoked_at, scopes ON api_keys
  FOR EACH ROW EXECUTE FUNCTION take_profile_privacy_lock();

-- The same lock before any row is locked, where the wall says which profile it will be: a switch, which takes the lock and then
-- revokes keys, and a revocation, which would lock its key and then ask for the lock, must not wait for each other.
CREATE FUNCTION take_privacy_lock_first() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(privacy_lock(id)) FROM unnest(ARRAY[current_workspace(), current_profile()]) AS id WHERE id IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER a_lock_first BEFORE UPDATE OF privacy_mode, archived_at ON profiles
  FOR EACH STATEMENT EXECUTE FUNCTION take_privacy_lock_first();
CREATE TRIGGER a_lock_first BEFORE UPDATE OF is_healthcare_agency, archived_at ON workspaces
  FOR EACH STATEMENT EXECUTE FUNCTION take_privacy_lock_first();
CREATE TRIGGER a_lock_first BEFORE UPDATE OF oauth_scopes, revoked_at ON grants
  FOR EACH STATEMENT EXECUTE FUNCTION take_privacy_lock_first();
CREATE TRIGGER a_lock_first BEFORE UPDATE OF revoked_at, scopes ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION take_privacy_lock_first();

-- When a profile becomes healthcare-family, the live keys of partner apps that show people are revoked in the same transaction,
-- whichever way the switch came.
CREATE FUNCTION revoke_person_keys(profile uuid, at timestamptz) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
DECLARE
  revoked integer;
BEGIN
  UPDATE api_keys SET revoked_at = at
  WHERE profile_id = profile AND app_id IS NOT NULL AND revoked_at IS NULL
    AND scopes && ARRAY['customers:read', 'visitors:read'];
  GET DIAGNOSTICS revoked = ROW_COUNT;
  RETURN revoked;
END $$;
REVOKE ALL ON FUNCTION revoke_person_keys FROM PUBLIC;

CREATE FUNCTION on_privacy_switch() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  IF TG_TABLE_NAME = 'profiles' THEN
    IF OLD.privacy_mode = 'standard' AND NEW.privacy_mode <> 'standard' THEN
      PERFORM revoke_person_keys(NEW.id, now());
    END IF;
  ELSIF NEW.is_healthcare_agency AND NOT OLD.is_healthcare_agency THEN
    PERFORM revoke_person_keys(id, now()) FROM profiles WHERE workspace_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER revoke_on_switch AFTER UPDATE OF privacy_mode ON profiles
  FOR EACH ROW EXECUTE FUNCTION on_privacy_switch();
CREATE TRIGGER revoke_on_switch AFTER UPDATE OF is_healthcare_agency ON workspaces
  FOR EACH ROW EXECUTE FUNCTION on_privacy_switch();
CREATE POLICY switch ON api_keys FOR UPDATE TO tributary_owner USING (true);

-- Client credentials of apps: the id is public, the secret is not.
CREATE FUNCTION find_app(app uuid) RETURNS TABLE (client_secret_hash bytea, rate_tier text, redirect_uris text[], allowed_return_origins text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT a.client_secret_hash, a.rate_tier, a.redirect_uris, a.allowed_return_origins FROM apps a WHERE a.id = app AND a.disabled_at IS NULL;
END;
REVOKE ALL ON FUNCTION find_app FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_app TO tributary_app;

-- The profile an app asks to speak for: only with a live grant or as the app that made it.
CREATE FUNCTION find_app_profile(app uuid, profile uuid)
  RETURNS TABLE (workspace_id uuid, oauth_scopes text[], is_governing boolean, is_healthcare boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT p.workspace_id, g.oauth_scopes, p.governing_app_id IS NOT DISTINCT FROM app, w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM profiles p
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN grants g ON g.profile_id = p.id AND g.app_id = app AND g.revoked_at IS NULL
  WHERE p.id = profile AND p.archived_at IS NULL AND (g.app_id IS NOT NULL OR p.governing_app_id = app);
END;
REVOKE ALL ON FUNCTION find_app_profile FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_app_profile TO tributary_app;

-- Which workspace an app may put a profile into: one that it provisioned itself.
CREATE FUNCTION find_app_workspace(app uuid, workspace uuid) RETURNS TABLE (workspace_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT w.id FROM workspaces w WHERE w.id = workspace AND w.provisioned_by = app AND w.archived_at IS NULL;
END;
REVOKE ALL ON FUNCTION find_app_workspace FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_app_workspace TO tributary_app;

-- Tokens are written by a function because an app's own token may belong to no profile, and so stands behind no wall.
CREATE FUNCTION issue_app_token(token_hash bytea, token_id uuid, app uuid, profile uuid, token_scopes text[], issued_at timestamptz, expires timestamptz)
  RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  INSERT INTO app_tokens (hash, id, app_id, profile_id, scopes, created_at, expires_at)
  VALUES (token_hash, token_id, app, profile, token_scopes, issued_at, expires);
END;
REVOKE ALL ON FUNCTION issue_app_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION issue_app_token TO tributary_app;
CREATE POLICY queue ON app_tokens TO tributary_system USING (true);
GRANT SELECT, DELETE ON app_tokens TO tributary_system;
