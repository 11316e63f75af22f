-- provider-webhooks is internet-facing like the collector and uses the same role. It verifies signatures, so it reads the encrypted secrets
-- of one account and the encrypted envelope keys. Both are useless without ENCRYPTION_KEYS, which the collector does not have. Only stores
-- have a signing secret per account.
CREATE FUNCTION find_webhook_secrets(named_channel text, named_account text)
  RETURNS TABLE (profile_id uuid, id uuid, credentials bytea)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT c.profile_id, c.id, c.credentials FROM connections c
  JOIN profiles p ON p.id = c.profile_id AND p.archived_at IS NULL
  WHERE c.channel = named_channel AND c.channel = 'store' AND c.external_id = named_account
    AND c.status <> 'disconnected' AND c.credentials IS NOT NULL
  LIMIT 100;
END;
REVOKE ALL ON FUNCTION find_webhook_secrets FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_webhook_secrets TO tributary_collector;

CREATE FUNCTION find_envelope_keys()
  RETURNS TABLE (purpose text, id text, sealed bytea, created_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT k.purpose, k.id, k.sealed, k.created_at FROM key_ring k
  WHERE k.purpose = 'envelope' AND k.retired_at IS NULL
  ORDER BY k.created_at DESC, k.id;
END;
REVOKE ALL ON FUNCTION find_envelope_keys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_envelope_keys TO tributary_collector;
