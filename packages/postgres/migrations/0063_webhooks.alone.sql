-- Events are kept from the later of two moments: an hour after they were numbered, or when a delivery that late went through. So a delivery
-- that is on time, as most are, writes nothing here.
ALTER TABLE event_log ADD COLUMN IF NOT EXISTS kept_from timestamptz NOT NULL DEFAULT now();
CREATE INDEX CONCURRENTLY IF NOT EXISTS event_log_by_life ON event_log (kept_from);
CREATE INDEX CONCURRENTLY IF NOT EXISTS event_log_by_type ON event_log (profile_id, type, sequence);
