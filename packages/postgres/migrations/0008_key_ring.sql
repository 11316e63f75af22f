-- Keys that the service makes for itself, each wrapped by a master key from the settings. A ring per purpose: the newest key
-- is used for new work, the others can still be read until they are retired.
CREATE TABLE key_ring (
  purpose text NOT NULL CHECK (purpose IN ('envelope', 'session', 'link_token', 'stream', 'tombstone')),
  id text NOT NULL CHECK (id ~ '^[a-z0-9]{1,16}$'),
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL,
  retired_at timestamptz,
  PRIMARY KEY (purpose, id)
);
-- The operator adds and retires; whoever serves only reads, and can open nothing without the master key.
GRANT SELECT ON key_ring TO tributary_app, tributary_system;
