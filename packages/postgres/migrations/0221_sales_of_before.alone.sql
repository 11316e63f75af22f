CREATE INDEX CONCURRENTLY IF NOT EXISTS outcomes_duplicates ON outcomes (profile_id, duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS outcomes_uncounted ON outcomes (profile_id, occurred_at) WHERE uncounted IS NOT NULL;
