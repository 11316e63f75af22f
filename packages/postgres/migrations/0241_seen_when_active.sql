-- The backfill stands beside this file, in 0241_seen_when_active.alone.sql: it goes through all customers.
COMMENT ON COLUMN customers.first_seen_at IS 'When the customer was first active; when it was imported, while no activity is recorded.';
COMMENT ON COLUMN customers.last_seen_at IS 'When the customer was last active; when it was imported, while no activity is recorded.';
