-- Names the members who created keys, links, report mails and invitations, also after they left the workspace.
CREATE FUNCTION find_users(ids uuid[]) RETURNS TABLE (id uuid, name text, email text)
  LANGUAGE sql STABLE SECURITY INVOKER
BEGIN ATOMIC
  SELECT u.id, u.name, u.email FROM users u WHERE u.id = ANY (ids);
END;
REVOKE ALL ON FUNCTION find_users FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_users TO tributary_app;

-- What a member created in the workspace of the transaction and is still in use. It looks into all profiles of the workspace at once.
CREATE POLICY look_up ON report_mails FOR SELECT TO tributary_owner USING (true);
CREATE FUNCTION find_created(member uuid, at timestamptz)
  RETURNS TABLE (kind text, id uuid, profile_id uuid, name text, created_at timestamptz)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$ DECLARE
  -- As a list, so that each table is entered by the index that begins with the profile.
  profile_ids uuid[] := ARRAY(SELECT p.id FROM profiles p WHERE p.workspace_id = current_workspace());
BEGIN
  RETURN QUERY
  SELECT 'api_key', k.id, k.profile_id, k.name, k.created_at
  FROM api_keys k
  WHERE k.profile_id = ANY (profile_ids) AND k.minted_by_kind = 'user' AND k.minted_by_id = member::text
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > at)
  UNION ALL
  SELECT 'shared_view', v.id, v.profile_id, v.name, v.created_at
  FROM shared_views v
  WHERE v.profile_id = ANY (profile_ids) AND v.made_by = member
    AND v.revoked_at IS NULL AND (v.expires_at IS NULL OR v.expires_at > at)
  UNION ALL
  SELECT 'report_mail', m.id, m.profile_id, m.page, m.created_at
  FROM report_mails m
  WHERE m.profile_id = ANY (profile_ids) AND m.made_by = member
  UNION ALL
  SELECT 'invitation', i.id, NULL::uuid, coalesce(i.email, i.role), i.created_at
  FROM invitations i
  WHERE i.workspace_id = current_workspace() AND i.invited_by = member
    AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > at;
END $$;
REVOKE ALL ON FUNCTION find_created FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_created TO tributary_app;
