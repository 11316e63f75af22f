-- What brought an outcome, where its own message names the ad or the click (packages/rules/visits/origin.ts). Attribution makes a
-- synthetic touch of it, for people whom no visit is known of.
ALTER TABLE outcomes ADD COLUMN origin jsonb;
CREATE INDEX outcomes_with_origin ON outcomes (profile_id, customer_id, occurred_at) WHERE origin IS NOT NULL;

-- Whether a profile's figures are current. Nothing here: they always were.
CREATE TABLE attribution_freshness (
  profile_id uuid PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
  state text NOT NULL CHECK (state IN ('current', 'behind')),
  since timestamptz NOT NULL
);
ALTER TABLE attribution_freshness ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON attribution_freshness TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON attribution_freshness TO tributary_app;
