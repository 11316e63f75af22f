-- One way to wait for all background work that is found in tables. What waits stays in the tables of the rooms; here is whose turn it is.

-- A key (mostly a profile) that somebody works on or soon looks at. A key that has nothing waiting has no row.
CREATE TABLE work_turns (
  queue text NOT NULL,
  key uuid NOT NULL,
  -- Somebody will look from now on at what is there, so whoever leaves something need not say so. Taken away as a turn begins.
  is_waiting boolean NOT NULL DEFAULT true,
  waiting_since timestamptz NOT NULL DEFAULT now(),
  due timestamptz NOT NULL DEFAULT now(),
  holder uuid,
  -- With a holder: until when nobody else gets it. Without: the breath between two turns.
  until timestamptz NOT NULL DEFAULT '-infinity',
  -- Turns that failed one after the other, and why the last one did.
  attempts integer NOT NULL DEFAULT 0,
  last_fault text,
  PRIMARY KEY (queue, key)
);
CREATE INDEX work_turns_due ON work_turns (queue, due);
ALTER TABLE work_turns ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON work_turns TO tributary_app USING (key = current_profile());
CREATE POLICY queue ON work_turns TO tributary_system USING (true);
CREATE POLICY look_up ON work_turns FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON work_turns TO tributary_app, tributary_system;

-- What fails by itself while all around it succeeds. It waits for somebody to look, or for a new reason to work on it.
CREATE TABLE work_set_aside (
  queue text NOT NULL,
  key uuid NOT NULL,
  item text NOT NULL,
  reason text NOT NULL,
  set_aside_at timestamptz NOT NULL DEFAULT now(),
  -- An operator wants it tried again; the next turn puts it back.
  is_wanted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (queue, key, item)
);
CREATE INDEX work_set_aside_wanted ON work_set_aside (queue, key) WHERE is_wanted;
ALTER TABLE work_set_aside ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON work_set_aside TO tributary_app USING (key = current_profile());
CREATE POLICY queue ON work_set_aside TO tributary_system USING (true);
CREATE POLICY forget ON work_set_aside TO tributary_owner USING (true);
GRANT SELECT, DELETE ON work_set_aside TO tributary_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_set_aside TO tributary_system;

CREATE FUNCTION forget_set_aside() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  DELETE FROM work_set_aside WHERE key = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER profiles_forget_set_aside AFTER DELETE ON profiles FOR EACH ROW EXECUTE FUNCTION forget_set_aside();

-- Wakes the workers when the transaction commits. Commits that announce something wait for each other, so it is said only where
-- nobody would look anyway. A worker that began before this one committed looks again (packages/work/turns.ts).
CREATE FUNCTION announce_work(queue_name text, keys uuid[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  -- Whoever is older than a look that saw nothing of it is known by this.
  PERFORM pg_current_xact_id();
  PERFORM pg_notify('tributary_work', queue_name || ' ' || k)
  FROM unnest(keys) AS k
  WHERE NOT EXISTS (SELECT FROM work_turns t WHERE t.queue = queue_name AND t.key = k AND t.is_waiting);
END $$;
REVOKE ALL ON FUNCTION announce_work FROM PUBLIC;
GRANT EXECUTE ON FUNCTION announce_work TO tributary_app, tributary_system;

-- For the tables in which things wait, by profile: nobody can leave something there in silence.
CREATE FUNCTION announce_waiting() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  PERFORM announce_work(TG_ARGV[0], ARRAY(SELECT DISTINCT profile_id FROM waiting));
  RETURN NULL;
END $$;

CREATE TRIGGER announce_added AFTER INSERT ON dirty_customers
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('first-payments');
CREATE TRIGGER announce_changed AFTER UPDATE ON dirty_customers
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('first-payments');
CREATE TRIGGER announce_added AFTER INSERT ON dirty_conversions
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('attribution');
CREATE TRIGGER announce_changed AFTER UPDATE ON dirty_conversions
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('attribution');
CREATE TRIGGER announce_added AFTER INSERT ON dirty_entities
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('delivery');
CREATE TRIGGER announce_changed AFTER UPDATE ON dirty_entities
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('delivery');
CREATE TRIGGER announce_added AFTER INSERT ON dirty_delivery
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('delivery');
CREATE TRIGGER announce_changed AFTER UPDATE ON dirty_delivery
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('delivery');
CREATE TRIGGER announce_added AFTER INSERT ON erasure_work
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('erasures');

-- The workers find out whose rows these are, and may take one out that fails.
CREATE POLICY queue ON dirty_entities TO tributary_system USING (true);
CREATE POLICY queue ON dirty_delivery TO tributary_system USING (true);
GRANT SELECT, INSERT, DELETE ON dirty_entities, dirty_delivery TO tributary_system;

-- An erasure that fails by itself keeps its row: whoever says the person's name again still waits for it.
ALTER TABLE erasure_work ADD COLUMN is_set_aside boolean NOT NULL DEFAULT false;
