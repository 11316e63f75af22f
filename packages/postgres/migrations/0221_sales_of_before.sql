-- The indexes are made beside writers. Sources of payments of before are noted with the next payment of their profile.
COMMENT ON COLUMN outcomes.duplicate_of IS 'The counted record of the same sale.';
