-- What campaigns do, in the words of whoever runs them, where it is not what their name and channel make one believe.
CREATE TABLE campaign_tactics (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  entity_id uuid NOT NULL,
  tactic text NOT NULL CHECK (tactic IN ('push', 'search', 'brand', 'retargeting', 'coupon', 'owned')),
  said_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, entity_id)
);
ALTER TABLE campaign_tactics ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON campaign_tactics TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON campaign_tactics TO tributary_app;
