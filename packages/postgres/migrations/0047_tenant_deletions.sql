-- Tenants that are being deleted, and how far. A row outlives its profile, until somebody has looked a day later whether anything came
-- after all. Of a whole workspace the id stands in both columns.
CREATE TABLE tenant_deletions (
  profile_id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  requested_at timestamptz NOT NULL,
  -- Where the visits log ended after the archive: whoever had not seen it yet has passed here by then.
  log_position bigint,
  phase text NOT NULL DEFAULT 'waiting',
  at_table text,
  rows_deleted jsonb NOT NULL DEFAULT '{}',
  emptied_at timestamptz,
  look_again_at timestamptz,
  is_set_aside boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL
);
CREATE INDEX tenant_deletions_of_workspace ON tenant_deletions (workspace_id);
ALTER TABLE tenant_deletions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON tenant_deletions TO tributary_app USING (profile_id = current_profile() OR workspace_id = current_workspace());
CREATE POLICY queue ON tenant_deletions TO tributary_system USING (true);
CREATE POLICY operator ON tenant_deletions TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE ON tenant_deletions TO tributary_app;
GRANT SELECT, UPDATE, DELETE ON tenant_deletions TO tributary_system;

CREATE TRIGGER announce_added AFTER INSERT ON tenant_deletions
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('tenant-deletions');

-- What was archived before this was there.
INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at)
SELECT id, workspace_id, archived_at, now() FROM profiles WHERE archived_at IS NOT NULL
UNION ALL SELECT id, id, archived_at, now() FROM workspaces WHERE archived_at IS NOT NULL;

-- Of what nobody else may take rows from, the system takes those of tenants that are being deleted, and of no other.
CREATE FUNCTION is_being_deleted(tenant uuid) RETURNS boolean
  LANGUAGE sql STABLE RETURN EXISTS (SELECT FROM tenant_deletions WHERE profile_id = tenant);
CREATE POLICY deleted_tenant ON tombstones TO tributary_system USING (is_being_deleted(profile_id));
CREATE POLICY deleted_tenant ON erasures TO tributary_system USING (is_being_deleted(profile_id));
CREATE POLICY deleted_tenant ON audit_log TO tributary_system USING (is_being_deleted(workspace_id));
CREATE POLICY deleted_tenant ON members TO tributary_system USING (is_being_deleted(workspace_id));
GRANT SELECT (profile_id, hash, erasure_id), DELETE ON tombstones TO tributary_system;
GRANT SELECT (profile_id, id), DELETE ON erasures TO tributary_system;
GRANT SELECT (workspace_id, sequence), DELETE ON audit_log TO tributary_system;
GRANT SELECT (workspace_id, user_id), DELETE ON members TO tributary_system;

-- The log of who read people is found by profile.
CREATE INDEX pii_access_log_by_profile ON pii_access_log (profile_id, at, id);

-- Visits of a tenant that is being deleted go nowhere.
CREATE OR REPLACE FUNCTION find_visit_profiles(profile_ids uuid[])
  RETURNS TABLE (profile_id uuid, own_hosts text[], redirect_hosts text[], is_healthcare boolean, has_erased boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT p.id, coalesce(s.own_hosts, '{}'), coalesce(s.redirect_hosts, '{}'),
    w.is_healthcare_agency OR p.privacy_mode <> 'standard',
    EXISTS (SELECT FROM tombstones t WHERE t.profile_id = p.id)
  FROM profiles p
  JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN tracking_settings s ON s.profile_id = p.id
  WHERE p.id = ANY (profile_ids) AND p.archived_at IS NULL;
END $$;
