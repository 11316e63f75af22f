-- The collector faces the internet, so it enters as a role of its own: it finds tracking keys and the public halves of the stream's keys,
-- and can do nothing else. What it seals, it cannot open.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tributary_collector') THEN
    RAISE EXCEPTION 'The role tributary_collector is missing. Run deploy/postgres-roles.sql again as an administrator, then migrate.';
  END IF;
END $$;

GRANT EXECUTE ON FUNCTION find_tracking_keys TO tributary_collector;

-- Only keys of the stream have one: whoever has it seals, and opens nothing.
ALTER TABLE key_ring ADD COLUMN public_key bytea CHECK (octet_length(public_key) = 32);
GRANT SELECT (purpose, id, public_key, created_at, retired_at) ON key_ring TO tributary_collector;
