-- Who works out whose attribution, and where conversions were before they moved.

-- One worker at a time for a profile, so that what was read later is written under a higher version. A worker that lost its lease
-- may still finish a write; its version is lower, and it may no longer say that the work is done.
CREATE TABLE attribution_leases (
  profile_id uuid PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
  holder uuid NOT NULL,
  until timestamptz NOT NULL
);
ALTER TABLE attribution_leases ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON attribution_leases TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON attribution_leases TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON attribution_leases TO tributary_app, tributary_system;

-- An attributed conversion is found in the columns by its time. Where an outcome got another time, what stands under the old one
-- has to go; this remembers it until it is gone.
CREATE TABLE moved_conversions (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  outcome_id uuid NOT NULL,
  left_time timestamptz NOT NULL,
  PRIMARY KEY (profile_id, outcome_id, left_time)
);
ALTER TABLE moved_conversions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON moved_conversions TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON moved_conversions TO tributary_app;

CREATE FUNCTION remember_moved() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  INSERT INTO moved_conversions VALUES (OLD.profile_id, OLD.id, OLD.occurred_at) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER outcomes_remember_moved AFTER UPDATE OF occurred_at ON outcomes
  FOR EACH ROW WHEN (NEW.occurred_at IS DISTINCT FROM OLD.occurred_at) EXECUTE FUNCTION remember_moved();

-- The next profile after `after` (in a ring) that has dirty conversions and nobody at work on it. Profiles are stepped through by
-- the key, so a million dirty conversions of one cost no more than one.
CREATE FUNCTION claim_attribution(claimer uuid, after uuid, at timestamptz, lease interval) RETURNS uuid
  LANGUAGE plpgsql
AS $$ DECLARE
  candidate uuid := after;
  wrapped boolean := false;
  claimed uuid;
BEGIN
  LOOP
    SELECT d.profile_id INTO candidate FROM dirty_conversions d WHERE d.profile_id > candidate ORDER BY d.profile_id LIMIT 1;
    IF candidate IS NULL OR (wrapped AND candidate > after) THEN
      IF wrapped THEN RETURN NULL; END IF;
      wrapped := true;
      candidate := '00000000-0000-0000-0000-000000000000';
      CONTINUE;
    END IF;
    INSERT INTO attribution_leases AS l VALUES (candidate, claimer, at + lease)
    ON CONFLICT (profile_id) DO UPDATE SET holder = claimer, until = at + lease WHERE l.until <= at
    RETURNING profile_id INTO claimed;
    IF claimed IS NOT NULL THEN RETURN claimed; END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION claim_attribution FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_attribution TO tributary_system;

CREATE INDEX dirty_conversions_by_revision ON dirty_conversions (profile_id, revision);
GRANT USAGE ON SEQUENCE dirty_revision TO tributary_system;

-- Where a replay that was stopped can go on: its inputs are still staged under these for a day.
ALTER TABLE attribution_replays ADD COLUMN batch_id uuid, ADD COLUMN version bigint;
