-- Assistants register themselves without signing in. Those that nobody allowed anything are counted and forgotten, so that strangers cannot
-- fill the disk; with a client go its rows elsewhere, which must be found by it.
CREATE INDEX oauth_clients_by_creation ON oauth_clients (created_at);
CREATE INDEX oauth_consents_by_client ON oauth_consents (client_id);
CREATE INDEX oauth_access_tokens_by_client ON oauth_access_tokens (client_id);
CREATE INDEX oauth_refresh_tokens_by_client ON oauth_refresh_tokens (client_id);
GRANT SELECT (id, client_id, created_at), DELETE ON oauth_clients TO tributary_system;
GRANT SELECT (client_id) ON oauth_consents TO tributary_system;
