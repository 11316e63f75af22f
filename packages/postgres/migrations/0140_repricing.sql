-- Since when a profile has the currency that it reports in, and when all of its money had been converted to it. Until attribution has
-- worked off what that marked, figures are of both currencies, and say that they are behind.
ALTER TABLE profiles ADD COLUMN repricing_since timestamptz, ADD COLUMN repriced_at timestamptz;
