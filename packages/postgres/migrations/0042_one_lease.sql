-- What did the work of work_turns before it was there.
DROP FUNCTION claim_attribution;
DROP TABLE attribution_leases;

-- Only whose ads were ever recorded is left of it: they are scored every night.
DROP INDEX delivery_copies_due;
ALTER TABLE delivery_copies DROP COLUMN mark, DROP COLUMN is_due, DROP COLUMN taken_until;
DROP SEQUENCE delivery_mark;
ALTER TABLE delivery_copies RENAME TO profiles_with_ads;
ALTER TABLE profiles_with_ads RENAME CONSTRAINT delivery_copies_pkey TO profiles_with_ads_pkey;
ALTER TABLE profiles_with_ads RENAME CONSTRAINT delivery_copies_profile_id_fkey TO profiles_with_ads_profile_id_fkey;

-- The night marks the profiles, and a queue rebuilds them.
DROP INDEX score_rebuilds_by_age;
ALTER TABLE score_rebuilds DROP COLUMN taken_until, ADD COLUMN is_due boolean NOT NULL DEFAULT false;
CREATE INDEX score_rebuilds_due ON score_rebuilds (profile_id) WHERE is_due;
