-- Who told of an outcome (`OutcomeSource` of the contract), and where a provider did: through which connection, under which id of its
-- own. What came before came from the business itself; which of it came from files is not known any more, and is said to be of the API.
ALTER TABLE outcomes
  ADD COLUMN source text NOT NULL DEFAULT 'api',
  ADD COLUMN connection_id uuid,
  ADD COLUMN external_id text COLLATE "C";

-- A change of these adds nothing to the totals, and the owner may not write them.
ALTER TABLE outcomes DISABLE TRIGGER totals_of_updated;
CREATE POLICY tell_once ON outcomes FOR UPDATE TO tributary_owner USING (true);
UPDATE outcomes SET source = 'browser' WHERE visitor_id IS NOT NULL;
DROP POLICY tell_once ON outcomes;
ALTER TABLE outcomes ENABLE TRIGGER totals_of_updated;

-- An id of a connection is one outcome. A provider without a connection is known by its name.
CREATE UNIQUE INDEX outcomes_by_external_id ON outcomes (profile_id, source, connection_id, external_id) NULLS NOT DISTINCT
  WHERE external_id IS NOT NULL;

-- The app that is told of what providers say: the one that governs the profile. Nobody, where the profile is healthcare-family. Of the
-- profile behind whose wall the transaction stands, and of no other.
CREATE FUNCTION find_outcome_subscriber() RETURNS uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  RETURN (
    SELECT p.governing_app_id FROM profiles p JOIN workspaces w ON w.id = p.workspace_id AND w.archived_at IS NULL
    WHERE p.id = current_profile() AND p.archived_at IS NULL AND p.privacy_mode = 'standard' AND NOT w.is_healthcare_agency);
END $$;
REVOKE ALL ON FUNCTION find_outcome_subscriber FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_outcome_subscriber TO tributary_app;
