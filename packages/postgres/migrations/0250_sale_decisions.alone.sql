-- Lists the matches of two sources in a state, newest first. Nothing reads matches in the order of their ids alone.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sale_matches_listed ON sale_matches (profile_id, first_source, second_source, state, id) WHERE valid_to IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS sale_matches_in_order;
ALTER TABLE sale_matches DROP CONSTRAINT IF EXISTS sale_matches_evidence_check;
ALTER TABLE sale_matches ADD CONSTRAINT sale_matches_evidence_check CHECK (evidence IN ('reference', 'customer', 'decision')) NOT VALID;
ALTER TABLE sale_matches VALIDATE CONSTRAINT sale_matches_evidence_check;
