-- Reports that members come back to: a page of the console with its days, model, filters and sort under a name. Everybody of the workspace sees them.
CREATE TABLE saved_views (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  -- The page of the console, and what stands after its question mark. Only pages that name nobody.
  page text NOT NULL,
  search text NOT NULL,
  saved_by uuid NOT NULL,
  saved_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, name)
);
ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON saved_views TO tributary_app USING (profile_id = current_profile());
CREATE POLICY operator ON saved_views TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_views TO tributary_app;
