-- Since when a sync has failed without reading a page in between; null while it works. Members are alerted to one that fails for long.
ALTER TABLE syncs ADD COLUMN failing_since timestamptz;
UPDATE syncs SET failing_since = coalesce(last_run_at, now()) WHERE state = 'failed';
CREATE INDEX syncs_failing ON syncs (profile_id, failing_since) WHERE failing_since IS NOT NULL;

ALTER TABLE alerts DROP CONSTRAINT alerts_kind_check,
  ADD CONSTRAINT alerts_kind_check CHECK (kind IN ('tracker_silent', 'figures_late', 'sync_failing'));
