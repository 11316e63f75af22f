-- OAuth clients register without signing in. At the limit of clients without consent, the oldest of them are deleted, so that a flood of
-- registrations does not block new ones. Clients with a consent are never deleted.
CREATE FUNCTION replace_unallowed_clients(before timestamptz, up_to integer) RETURNS bigint
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  WITH replaced AS (
    DELETE FROM oauth_clients WHERE id IN (
      SELECT c.id FROM oauth_clients c
      WHERE c.created_at < before AND NOT EXISTS (SELECT FROM oauth_consents o WHERE o.client_id = c.client_id)
      ORDER BY c.created_at LIMIT up_to)
    RETURNING 1)
  SELECT count(*) FROM replaced;
END;
REVOKE ALL ON FUNCTION replace_unallowed_clients FROM PUBLIC;
GRANT EXECUTE ON FUNCTION replace_unallowed_clients TO tributary_app;
