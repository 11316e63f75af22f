-- A deleted workspace can be restored until then: only its own row is here, and nothing is removed. Null: the deletion is under way.
ALTER TABLE tenant_deletions ADD COLUMN restorable_until timestamptz;
GRANT DELETE ON tenant_deletions TO tributary_app;

CREATE OR REPLACE FUNCTION is_being_deleted(tenant uuid) RETURNS boolean LANGUAGE sql STABLE
  RETURN EXISTS (SELECT FROM tenant_deletions d WHERE d.profile_id = tenant AND d.restorable_until IS NULL);

-- A deleted workspace is nobody's place, so its owners find it past the wall.
CREATE POLICY look_up ON tenant_deletions FOR SELECT TO tributary_owner USING (true);
CREATE FUNCTION find_deleted_workspaces(person uuid, at timestamptz)
  RETURNS TABLE (id uuid, name text, deleted_at timestamptz, restorable_until timestamptz)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$ DECLARE
  owned uuid[] := ARRAY(SELECT m.workspace_id FROM members m WHERE m.user_id = person AND m.role = 'owner');
BEGIN
  RETURN QUERY SELECT w.id, w.name, w.archived_at, d.restorable_until
  FROM tenant_deletions d JOIN workspaces w ON w.id = d.profile_id
  WHERE d.profile_id = ANY (owned) AND w.id = ANY (owned) AND d.restorable_until > at AND w.archived_at IS NOT NULL
  ORDER BY w.archived_at DESC, w.id;
END $$;
REVOKE ALL ON FUNCTION find_deleted_workspaces FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_deleted_workspaces TO tributary_app;
