-- The visits log may be several streams: a place in it is a number for each of them.
ALTER TABLE erasure_work ALTER COLUMN log_position TYPE text;
ALTER TABLE tenant_deletions ALTER COLUMN log_position TYPE text;
