-- A function in SQL is planned anew at each call, so at every request of an assistant or of the console: for an assistant's token
-- that took forty times as long as reading the rows. In PL/pgSQL a connection keeps the plan.
CREATE OR REPLACE FUNCTION find_session(session_hash text, wanted_workspace uuid, wanted_profile uuid, at timestamptz)
  RETURNS TABLE (session_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, is_attribution_enabled boolean, is_healthcare boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT s.id, s.user_id, m.workspace_id, p.id, m.role, p.is_attribution_enabled,
    w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM sessions s
  LEFT JOIN profiles named ON named.id = wanted_profile AND named.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = coalesce(wanted_workspace, named.workspace_id) AND w.archived_at IS NULL
  LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = s.user_id
  LEFT JOIN profiles p ON p.id = named.id AND p.workspace_id = m.workspace_id
  WHERE s.token = session_hash AND s.expires_at > at;
END $$;

CREATE OR REPLACE FUNCTION find_mcp_token(token_hash text, at timestamptz)
  RETURNS TABLE (token_id uuid, user_id uuid, workspace_id uuid, profile_id uuid, role text, granted text[], is_attribution_enabled boolean, is_healthcare boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT t.id, t.user_id, m.workspace_id, p.id, m.role,
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
END $$;
