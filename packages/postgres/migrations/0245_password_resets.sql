-- Password-reset links: at most one per account, stored as a hash.
CREATE TABLE password_resets (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  -- When the mail server accepted the mail; null until then, so that a failed attempt does not delay the next one.
  sent_at timestamptz
);
CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON password_resets TO tributary_app;
GRANT DELETE, SELECT (user_id, expires_at) ON password_resets TO tributary_system;
