-- The small pictures of ads' creatives, fetched from the platform once somebody looks: their addresses run out after days, and the console shows
-- nothing that is not ours. One row an ad. Without content: it was tried and there was none.
CREATE TABLE creative_pictures (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  ad_id uuid NOT NULL,
  -- Of the address that was tried last: another one is another picture.
  source_hash bytea NOT NULL,
  tried_at timestamptz NOT NULL,
  media_type text,
  content bytea,
  PRIMARY KEY (profile_id, ad_id),
  CHECK ((media_type IS NULL) = (content IS NULL))
);
ALTER TABLE creative_pictures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON creative_pictures TO tributary_app USING (profile_id = current_profile());
CREATE POLICY operator ON creative_pictures TO tributary_owner USING (true);
CREATE POLICY sweep ON creative_pictures TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON creative_pictures TO tributary_app;
GRANT SELECT (profile_id, ad_id, tried_at), DELETE ON creative_pictures TO tributary_system;
CREATE INDEX creative_pictures_by_try ON creative_pictures (tried_at);
