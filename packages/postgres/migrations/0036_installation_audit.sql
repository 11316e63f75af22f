-- What belongs to no workspace (apps, people and how they sign in, keys of the service) or must outlive one (its deletion) has a chain
-- of its own: the installation's. It is built like a workspace's, and `tributary audit verify` recomputes it alike.
CREATE TABLE installation_audit_log (
  sequence bigint PRIMARY KEY,
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
  hash bytea NOT NULL
);
-- Only the operator, as the owner of the schema, reads it. Whoever serves requests adds to it, through the function.
ALTER TABLE installation_audit_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY append ON installation_audit_log TO tributary_owner USING (true);

CREATE FUNCTION append_installation_audit(
  entry_at timestamptz, actor_kind text, actor_id text, action text, result text, target text, detail jsonb, request_id text
) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
DECLARE
  last_sequence bigint;
  last_hash bytea;
  entry_hash bytea;
BEGIN
  -- Puts concurrent entries in order.
  PERFORM pg_advisory_xact_lock(hashtextextended('installation_audit_log', 7034));
  SELECT sequence, hash INTO last_sequence, last_hash FROM installation_audit_log ORDER BY sequence DESC LIMIT 1;
  last_sequence := coalesce(last_sequence, 0);
  last_hash := coalesce(last_hash, '\x');
  entry_hash := sha256(last_hash || convert_to(jsonb_build_array(
    NULL, last_sequence + 1, (extract(epoch FROM entry_at) * 1000)::bigint, actor_kind, actor_id, action, result, target, detail, request_id
  )::text, 'UTF8'));
  INSERT INTO installation_audit_log
  VALUES (last_sequence + 1, entry_at, actor_kind, actor_id, action, result, target, detail, request_id, last_hash, entry_hash);
  RETURN last_sequence + 1;
END $$;
REVOKE ALL ON FUNCTION append_installation_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_installation_audit TO tributary_app;
