-- Who minted a key, as the audit log names them: a person, an app, the operator. Unknown for keys that are older than this.
ALTER TABLE api_keys
  ADD COLUMN minted_by_kind text,
  ADD COLUMN minted_by_id text,
  ADD CONSTRAINT minted_by_somebody CHECK ((minted_by_kind IS NULL) = (minted_by_id IS NULL));
