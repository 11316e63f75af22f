-- What is past its life is swept by the system, which sees of a row what names it and how old it is, and nothing else.
DO $$
DECLARE
  swept record;
BEGIN
  FOR swept IN SELECT * FROM (VALUES
    ('ad_delivery_history', 'profile_id, entity_id, day, revision, replaced_at'),
    ('api_keys', 'profile_id, id, revoked_at, expires_at'),
    ('attribution_replays', 'profile_id, id, finished_at'),
    ('invitations', 'workspace_id, id, expires_at'),
    ('model_allowances', 'workspace_id, day'),
    ('tracking_keys', 'profile_id, id, revoked_at')
  ) AS t (name, columns) LOOP
    EXECUTE format('CREATE POLICY queue ON %I TO tributary_system USING (true)', swept.name);
    EXECUTE format('GRANT SELECT (%s), DELETE ON %I TO tributary_system', swept.columns, swept.name);
  END LOOP;
END $$;
GRANT SELECT (id, expires_at), DELETE ON oauth_client_assertions TO tributary_system;

-- Restatements come in the order of time, so that a small index finds the old ones of a large table.
CREATE INDEX ad_delivery_history_by_age ON ad_delivery_history USING brin (replaced_at);
CREATE INDEX oauth_client_assertions_by_expiry ON oauth_client_assertions (expires_at);
