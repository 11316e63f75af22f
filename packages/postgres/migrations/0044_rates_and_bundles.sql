-- A rate that somebody set on a key holds on every route; where none was set, ingest has an allowance of its own. Null: a key of before, whose
-- rate was set unless it is the one that was given to those who asked for none.
ALTER TABLE api_keys ADD COLUMN is_rate_set boolean;
ALTER TYPE credential ADD ATTRIBUTE is_rate_set boolean;

CREATE OR REPLACE FUNCTION find_credentials(hashes bytea[], at timestamptz) RETURNS SETOF credential
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$ BEGIN
  RETURN QUERY SELECT k.hash, 'api_key', k.id, p.id, p.workspace_id, k.app_id, k.scopes,
    CASE WHEN k.app_id IS NULL THEN NULL ELSE coalesce(g.oauth_scopes, '{}') END,
    k.requests_per_minute, p.is_attribution_enabled,
    w.is_healthcare_agency OR p.privacy_mode <> 'standard',
    coalesce(k.is_rate_set, k.requests_per_minute <> 300)
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
    coalesce(w.is_healthcare_agency OR p.privacy_mode <> 'standard', true),
    false
  FROM app_tokens t
  JOIN apps a ON a.id = t.app_id AND a.disabled_at IS NULL
  LEFT JOIN profiles p ON p.id = t.profile_id AND p.archived_at IS NULL
  LEFT JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
  LEFT JOIN grants g ON g.profile_id = t.profile_id AND g.app_id = t.app_id AND g.revoked_at IS NULL
  WHERE t.hash = ANY (hashes) AND t.expires_at > at AND (t.profile_id IS NULL OR w.id IS NOT NULL);
END $$;

-- When a profile becomes healthcare-family, the bundle that shows people leaves every grant on it for good, and the one that shows none takes its
-- place: an app that wants it again after privacy was loosened has to ask.
CREATE POLICY switch ON grants FOR UPDATE TO tributary_owner USING (true);

CREATE OR REPLACE FUNCTION revoke_person_keys(profile uuid, at timestamptz) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  revoked integer;
BEGIN
  UPDATE grants SET updated_at = at,
    oauth_scopes = ARRAY(SELECT DISTINCT unnest(array_replace(oauth_scopes, 'analytics_pii', 'analytics')) ORDER BY 1)
  WHERE profile_id = profile AND 'analytics_pii' = ANY (oauth_scopes);
  UPDATE api_keys SET revoked_at = at
  WHERE profile_id = profile AND app_id IS NOT NULL AND revoked_at IS NULL
    AND scopes && ARRAY['customers:read', 'visitors:read'];
  GET DIAGNOSTICS revoked = ROW_COUNT;
  RETURN revoked;
END $$;
