-- Passkeys of those who sign in: the public half of a key that their device keeps. better-auth's words.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text,
  credential_id text NOT NULL UNIQUE,
  public_key text NOT NULL,
  -- How often the device says it was used; one that goes back was copied.
  counter bigint NOT NULL,
  device_type text NOT NULL,
  backed_up boolean NOT NULL,
  transports text,
  aaguid text,
  created_at timestamptz NOT NULL
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON passkeys TO tributary_app;
