-- Receipts are listed, the newest first.
CREATE INDEX erasures_by_time ON erasures (profile_id, requested_at DESC, id DESC);
