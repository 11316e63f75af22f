-- Notes that keys were used. Called from before any wall, at most once a minute per key and process; a key that somebody is just
-- changing is left for the next time, so that no request ever waits for it.
CREATE FUNCTION note_key_use(key_ids uuid[], at timestamptz) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
  UPDATE api_keys k SET last_used_at = at
  FROM (SELECT id FROM api_keys WHERE id = ANY (key_ids) FOR NO KEY UPDATE SKIP LOCKED) used
  WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < at)
$$;
REVOKE ALL ON FUNCTION note_key_use FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_key_use TO tributary_app;
