-- Statements that read a table from end to end, because no index begins with what they ask for.

-- The nightly sweep asks for what is older than a time.
CREATE INDEX api_keys_by_revocation ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX attribution_replays_by_end ON attribution_replays (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX bad_visit_days_by_day ON bad_visit_days (day);
CREATE INDEX exchange_rates_history_by_time ON exchange_rates_history (replaced_at);
CREATE INDEX export_events_by_time ON export_events (scheduled_at);
CREATE INDEX export_runs_by_time ON export_runs (scheduled_at);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
CREATE INDEX model_allowances_by_day ON model_allowances (day);
CREATE INDEX model_fits_by_end ON model_fits (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX reconciliations_by_time ON reconciliations (requested_at);
CREATE INDEX refused_visits_by_day ON refused_visits (day);
CREATE INDEX tracking_keys_by_revocation ON tracking_keys (revoked_at) WHERE revoked_at IS NOT NULL;

-- When a key was last used is noted by its id alone, for keys of many profiles at once.
CREATE INDEX api_keys_by_id ON api_keys (id);

-- What goes with a profile, a workspace or an app.
CREATE INDEX app_tokens_by_profile ON app_tokens (profile_id);
CREATE INDEX app_tokens_by_app ON app_tokens (app_id);
CREATE INDEX work_set_aside_by_key ON work_set_aside (key);
