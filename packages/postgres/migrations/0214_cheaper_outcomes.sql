-- Every look-up of this function goes from a name to its row, so a plan for any number of names is the plan for one. Left to itself,
-- PostgreSQL takes ten names for many and plans anew for each call.
ALTER FUNCTION open_customers(uuid, int, int[], text[], text[], bytea[], text[]) SET plan_cache_mode TO force_generic_plan;

-- A statement that adds or changes rows fires for both, and one of the two has none.
CREATE OR REPLACE FUNCTION announce_waiting() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path TO public, pg_temp AS $$
DECLARE keys uuid[] := ARRAY(SELECT DISTINCT profile_id FROM waiting);
BEGIN
  IF cardinality(keys) > 0 THEN PERFORM announce_work(TG_ARGV[0], keys); END IF;
  RETURN NULL;
END $$;

-- Most profiles export nothing, and an insert of no rows costs as much as one of a row.
CREATE OR REPLACE FUNCTION export_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (SELECT FROM new_rows n JOIN export_targets t ON t.profile_id = n.profile_id AND t.is_enabled) THEN RETURN NULL; END IF;
  INSERT INTO export_events (profile_id, target_id, outcome_id, scheduled_at, due_at)
  SELECT n.profile_id, t.id, n.id, tick, tick
  FROM new_rows n
  JOIN export_targets t ON t.profile_id = n.profile_id AND t.is_enabled
  CROSS JOIN LATERAL (SELECT date_bin(make_interval(mins => t.every_minutes), now(), 'epoch') + make_interval(mins => t.every_minutes) AS tick) s
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
