-- The answers to requests that carried an Idempotency-Key, written in the transaction of their effect and kept for a day.
-- The key itself is not kept: callers put order numbers and e-mail addresses into it.
-- Whoever asks owns its answers: a profile, or an app or workspace where the credential is bound to none.
CREATE FUNCTION current_owner() RETURNS uuid
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN coalesce(current_profile(), NULLIF(current_setting('app.app_id', true), '')::uuid, current_workspace());

CREATE TABLE idempotent_answers (
  owner_id uuid NOT NULL,
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  status smallint NOT NULL,
  -- Sealed by the vault: an answer may hold people and secrets that are shown only once.
  body bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (owner_id, key_hash)
);
CREATE INDEX idempotent_answers_by_expiry ON idempotent_answers (expires_at);
ALTER TABLE idempotent_answers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON idempotent_answers TO tributary_app USING (owner_id = current_owner());
CREATE POLICY queue ON idempotent_answers TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotent_answers TO tributary_app;
GRANT SELECT, DELETE ON idempotent_answers TO tributary_system;

-- Which customers an answer names, so that an erasure finds it.
CREATE TABLE idempotent_answer_people (
  owner_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  key_hash bytea NOT NULL,
  PRIMARY KEY (owner_id, customer_id, key_hash),
  FOREIGN KEY (owner_id, key_hash) REFERENCES idempotent_answers ON DELETE CASCADE
);
CREATE INDEX idempotent_answer_people_by_key ON idempotent_answer_people (owner_id, key_hash);
ALTER TABLE idempotent_answer_people ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON idempotent_answer_people TO tributary_app USING (owner_id = current_owner());
GRANT SELECT, INSERT, DELETE ON idempotent_answer_people TO tributary_app;
