-- A workspace may live on another server than the accounts. What the home shard keeps of its people names it without a reference, and is
-- told when it goes.
ALTER TABLE oauth_access_tokens DROP CONSTRAINT oauth_access_tokens_reference_id_fkey;
ALTER TABLE oauth_consents DROP CONSTRAINT oauth_consents_reference_id_fkey;

/* Of these ids those of profiles and workspaces that are on this server. */
CREATE FUNCTION find_tenants(ids uuid[]) RETURNS TABLE (id uuid)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT p.id FROM profiles p WHERE p.id = ANY (ids) UNION ALL SELECT w.id FROM workspaces w WHERE w.id = ANY (ids);
END $$;

/* What a person is in the workspace or profile that they name. */
CREATE FUNCTION find_place(person uuid, wanted_workspace uuid, wanted_profile uuid)
  RETURNS TABLE (workspace_id uuid, profile_id uuid, role text, is_attribution_enabled boolean, is_healthcare boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT m.workspace_id, p.id, m.role, p.is_attribution_enabled, w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM workspaces w
  LEFT JOIN profiles p ON p.id = wanted_profile AND p.workspace_id = w.id AND p.archived_at IS NULL
  JOIN members m ON m.workspace_id = w.id AND m.user_id = person
  WHERE w.id = coalesce(wanted_workspace, (SELECT named.workspace_id FROM profiles named WHERE named.id = wanted_profile AND named.archived_at IS NULL))
    AND w.archived_at IS NULL;
END $$;

/* As find_mcp_token, which the version before asks; with nothing of the place where the profile is on another server: whoever asks looks there. */
CREATE FUNCTION find_assistant_token(token_hash text, at timestamptz)
  RETURNS TABLE (token_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, granted text[], is_attribution_enabled boolean, is_healthcare boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT t.id, t.user_id, m.workspace_id, t.reference_id, m.role,
    ARRAY(SELECT jsonb_array_elements_text(t.scopes) INTERSECT SELECT jsonb_array_elements_text(c.scopes)),
    p.is_attribution_enabled, w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM oauth_access_tokens t
  JOIN sessions s ON s.id = t.session_id AND s.user_id = t.user_id AND s.expires_at > at
  JOIN oauth_clients a ON a.client_id = t.client_id AND a.disabled IS NOT TRUE
  JOIN oauth_consents c ON c.client_id = t.client_id AND c.user_id = t.user_id AND c.reference_id = t.reference_id
  LEFT JOIN profiles p ON p.id = t.reference_id AND p.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = t.user_id
  WHERE t.token = token_hash AND t.expires_at > at AND t.revoked IS NULL;
END $$;

/* A profile goes, and with it whatever assistants were allowed to see of it. */
CREATE FUNCTION forget_assistants_of(profile uuid) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  DELETE FROM oauth_access_tokens WHERE reference_id = profile;
  DELETE FROM oauth_consents WHERE reference_id = profile;
END;

REVOKE ALL ON FUNCTION find_tenants(uuid[]), find_place(uuid, uuid, uuid), find_assistant_token(text, timestamptz), forget_assistants_of(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_tenants(uuid[]) TO tributary_app, tributary_system;
GRANT EXECUTE ON FUNCTION find_place(uuid, uuid, uuid), find_assistant_token(text, timestamptz), forget_assistants_of(uuid) TO tributary_app;
