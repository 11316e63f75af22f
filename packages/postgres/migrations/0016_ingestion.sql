-- What the pipeline of visits needs besides its tables.

-- The key that makes a browser's own id into the one that is stored. It is never rotated: what it named lies in ClickHouse for good.
ALTER TABLE key_ring DROP CONSTRAINT key_ring_purpose_check;
ALTER TABLE key_ring ADD CONSTRAINT key_ring_purpose_check
  CHECK (purpose IN ('envelope', 'session', 'link_token', 'stream', 'tombstone', 'visitor'));

-- What must be known of the profiles of a batch, which is of many, before any wall stands. Nothing for one that is gone.
CREATE FUNCTION find_visit_profiles(profile_ids uuid[])
  RETURNS TABLE (profile_id uuid, own_hosts text[], redirect_hosts text[], is_healthcare boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT p.id, coalesce(s.own_hosts, '{}'), coalesce(s.redirect_hosts, '{}'),
    w.is_healthcare_agency OR p.privacy_mode <> 'standard'
  FROM profiles p
  JOIN workspaces w ON w.id = p.workspace_id
  LEFT JOIN tracking_settings s ON s.profile_id = p.id
  WHERE p.id = ANY (profile_ids);
END $$;
REVOKE ALL ON FUNCTION find_visit_profiles FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_visit_profiles TO tributary_app;
