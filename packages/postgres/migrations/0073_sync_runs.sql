-- Each run has a number: one whose worker was given up cannot write over the one that took its place.
ALTER TABLE syncs
  ADD COLUMN run bigint NOT NULL DEFAULT 0,
  -- What the provider said and could not be kept: how much of it, and the last of it with the reason.
  ADD COLUMN rejected_count integer NOT NULL DEFAULT 0,
  ADD COLUMN rejected jsonb NOT NULL DEFAULT '[]';

-- Pages of an ad account that a person chose to have tracked: id and name of each.
ALTER TABLE connections ADD COLUMN tracked_pages jsonb NOT NULL DEFAULT '[]';

-- What people searched for when a search engine showed the site, by day and page.
CREATE TABLE site_searches (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  connection_id uuid NOT NULL,
  -- A day of the search engine's own time zone.
  day date NOT NULL,
  -- Of query and page: both may be longer than an index takes.
  hash bytea NOT NULL,
  query text NOT NULL,
  page text NOT NULL,
  clicks bigint NOT NULL,
  impressions bigint NOT NULL,
  position numeric NOT NULL,
  PRIMARY KEY (profile_id, day, connection_id, hash),
  FOREIGN KEY (profile_id, connection_id) REFERENCES connections ON DELETE CASCADE
);
CREATE INDEX site_searches_by_life ON site_searches (day);
ALTER TABLE site_searches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON site_searches TO tributary_app USING (profile_id = current_profile());
CREATE POLICY sweep ON site_searches TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON site_searches TO tributary_app;
GRANT SELECT (profile_id, day, connection_id, hash), DELETE ON site_searches TO tributary_system;

-- A provider's webhook names an account, and no profile.
CREATE FUNCTION find_connections_of(told_channel text, told_account text)
  RETURNS TABLE (profile_id uuid, id uuid, credentials_revision integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT c.profile_id, c.id, c.credentials_revision FROM connections c
  JOIN profiles p ON p.id = c.profile_id AND p.archived_at IS NULL
  WHERE c.channel = told_channel AND c.external_id = told_account AND c.status <> 'disconnected'
  LIMIT 100;
END;
REVOKE ALL ON FUNCTION find_connections_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_connections_of TO tributary_app;
