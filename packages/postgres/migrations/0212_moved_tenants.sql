-- A workspace can go to another server while it is served. Numbers of events are a server's own, so only with its profile does one name an event.
ALTER TABLE event_log DROP CONSTRAINT event_log_pkey;
ALTER TABLE event_log ADD CONSTRAINT event_log_pkey PRIMARY KEY USING INDEX event_log_by_profile;

-- Profiles and workspaces that were here, and where they are now.
CREATE TABLE moved_tenants (
  id uuid PRIMARY KEY,
  shard text NOT NULL,
  moved_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION move_lock(tenant uuid) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended('move ' || tenant, 0);

/* Before anything is read of a tenant: says that it has gone, and where. */
CREATE PROCEDURE refuse_moved(tenant uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ DECLARE there text; BEGIN
  SELECT shard INTO there FROM moved_tenants WHERE id = tenant;
  IF FOUND THEN RAISE EXCEPTION 'It has moved to the ledger shard "%".', there USING ERRCODE = 'TR001', DETAIL = there, HINT = tenant::text; END IF;
END $$;

/* Before anything is written for a tenant: keeps it here until the transaction ends, or waits while it goes. */
CREATE PROCEDURE stand_before(tenant uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  PERFORM pg_advisory_xact_lock_shared(move_lock(tenant));
  CALL refuse_moved(tenant);
END $$;

REVOKE ALL ON PROCEDURE refuse_moved(uuid), stand_before(uuid) FROM PUBLIC;
GRANT EXECUTE ON PROCEDURE refuse_moved(uuid), stand_before(uuid) TO tributary_app, tributary_system;

/* A mark that is left where the profile is no more would be seen by nobody. */
CREATE OR REPLACE FUNCTION mark_touched(profile_ids uuid[], visitor_ids uuid[], touched_at timestamptz[]) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ DECLARE marked bigint; one uuid; BEGIN
  FOR one IN SELECT DISTINCT unnest(profile_ids) LOOP CALL stand_before(one); END LOOP;
  WITH touches AS (
    SELECT t.profile_id, t.visitor_id, t.at, l.customer_id
    FROM unnest(profile_ids, visitor_ids, touched_at) AS t (profile_id, visitor_id, at)
    LEFT JOIN visitor_links l ON l.profile_id = t.profile_id AND l.visitor_id = t.visitor_id
  ), candidates AS (
    SELECT t.profile_id, t.at, o.id, o.occurred_at, o.event_key, o.event_type_key FROM touches t
    JOIN outcomes o ON o.profile_id = t.profile_id AND o.customer_id = t.customer_id
      AND o.occurred_at >= t.at AND o.occurred_at <= t.at + interval '365 days'
    UNION ALL
    SELECT t.profile_id, t.at, o.id, o.occurred_at, o.event_key, o.event_type_key FROM touches t
    JOIN outcomes o ON o.profile_id = t.profile_id AND o.visitor_id = t.visitor_id AND o.customer_id IS NULL
      AND o.occurred_at >= t.at AND o.occurred_at <= t.at + interval '365 days'
  ), affected AS (
    SELECT DISTINCT c.profile_id, c.id FROM candidates c
    LEFT JOIN definition_events byname ON byname.profile_id = c.profile_id AND byname.event_key = c.event_key
    LEFT JOIN definition_events bytype ON bytype.profile_id = c.profile_id AND bytype.event_key = c.event_type_key
    JOIN definitions d ON d.profile_id = c.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id)
    WHERE d.is_attribution_eligible AND c.occurred_at <= c.at + make_interval(days => d.lookback_window_days)
    ORDER BY 1, 2
  ), written AS (
    INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes) SELECT profile_id, id, '{late_visit}' FROM affected
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'),
      causes = unite_causes(d.causes, excluded.causes), cause_ref = NULL
    RETURNING 1
  )
  SELECT count(*) INTO marked FROM written;
  RETURN marked;
END $$;
