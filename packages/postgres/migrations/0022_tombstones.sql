-- What is left of people who were erased: enough to know them again when they are named, and nothing to find out who they were.

-- A keyed hash of each identifier, customer id and browser id. The key is the ring's, and not here.
CREATE TABLE tombstones (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  hash bytea NOT NULL,
  erasure_id uuid NOT NULL,
  -- What is dated before this belongs to nobody.
  erased_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, hash, erasure_id)
);
CREATE INDEX tombstones_by_erasure ON tombstones (profile_id, erasure_id);
ALTER TABLE tombstones ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON tombstones TO tributary_app USING (profile_id = current_profile());
CREATE POLICY look_up ON tombstones FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT ON tombstones TO tributary_app;

-- A customer without a person, who keeps what an erased one did so that it still counts. Nobody is ever found to be one.
ALTER TABLE customers ADD COLUMN erased_at timestamptz;
-- What was said of an outcome besides its money is gone, and is not taken again should the event be sent again.
ALTER TABLE outcomes ADD COLUMN erased_at timestamptz;

-- For the pipeline of visits, whose batch is of many profiles: which of these are the hashes of erased browsers, and since when.
CREATE FUNCTION find_tombstones(profile_ids uuid[], hashes bytea[])
  RETURNS TABLE (profile_id uuid, hash bytea, erased_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT t.profile_id, t.hash, max(t.erased_at)
  FROM unnest(profile_ids, hashes) AS asked (profile_id, hash)
  JOIN tombstones t ON t.profile_id = asked.profile_id AND t.hash = asked.hash
  GROUP BY 1, 2;
END;
REVOKE ALL ON FUNCTION find_tombstones FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_tombstones TO tributary_app;

-- Most profiles have erased nobody, and their batches need not ask.
DROP FUNCTION find_visit_profiles(uuid[]);
CREATE FUNCTION find_visit_profiles(profile_ids uuid[])
  RETURNS TABLE (profile_id uuid, own_hosts text[], redirect_hosts text[], is_healthcare boolean, has_erased boolean)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN QUERY SELECT p.id, coalesce(s.own_hosts, '{}'), coalesce(s.redirect_hosts, '{}'),
    w.is_healthcare_agency OR p.privacy_mode <> 'standard',
    EXISTS (SELECT FROM tombstones t WHERE t.profile_id = p.id)
  FROM profiles p
  JOIN workspaces w ON w.id = p.workspace_id
  LEFT JOIN tracking_settings s ON s.profile_id = p.id
  WHERE p.id = ANY (profile_ids);
END $$;
REVOKE ALL ON FUNCTION find_visit_profiles FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_visit_profiles TO tributary_app;
