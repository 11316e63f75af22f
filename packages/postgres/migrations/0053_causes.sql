-- Why a conversion is worked out again, without losing any: all kinds of causes since it was last worked out, of the closed list in
-- packages/vocabulary. `cause` is written by the version before this one, whose marks are read all the same; it goes in the next release.
ALTER TABLE dirty_conversions
  ALTER COLUMN cause DROP NOT NULL,
  ADD COLUMN causes text[] NOT NULL DEFAULT '{}',
  -- The merge, definition or replay that was the cause. Null where it is no such thing, or there are several.
  ADD COLUMN cause_ref uuid;

CREATE FUNCTION unite_causes(known text[], more text[]) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN known @> more THEN known
  ELSE (SELECT array_agg(DISTINCT kind ORDER BY kind) FROM unnest(known || more) AS kind) END;

-- Merges get something to point at, and an end. Ids of those that are there already follow in 0055: rows that lack one are all that the owner
-- may see. After the queue, because that is the order in which a merge takes its locks.
ALTER TABLE merges
  ADD COLUMN id uuid,
  ADD COLUMN undone_at timestamptz,
  ADD COLUMN undone_by text,
  ADD COLUMN reason text,
  ADD CONSTRAINT merges_have_ids CHECK (id IS NOT NULL) NOT VALID;
ALTER TABLE merges ALTER COLUMN id SET DEFAULT gen_random_uuid();
CREATE POLICY without_id ON merges TO tributary_owner USING (id IS NULL) WITH CHECK (true);

-- Whoever merges customers writes the merge first. The one place that says "merge": whatever follows a merge marks conversions through it.
CREATE FUNCTION mark_merged(profile uuid, loser uuid, outcome_ids uuid[]) RETURNS void
  LANGUAGE sql
BEGIN ATOMIC
  INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes, cause_ref)
  SELECT profile, marked, '{merge}', (SELECT m.id FROM merges m WHERE m.profile_id = profile AND m.loser_id = loser ORDER BY m.merged_at DESC LIMIT 1)
  FROM unnest(outcome_ids) AS marked ORDER BY marked
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'),
    causes = unite_causes(d.causes, excluded.causes), cause_ref = CASE WHEN d.cause_ref = excluded.cause_ref THEN d.cause_ref END;
END;

CREATE OR REPLACE FUNCTION follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ DECLARE
  moved uuid[];
  names_origin boolean;
BEGIN
  WITH moving AS (
    UPDATE outcomes SET customer_id = NEW.merged_into WHERE profile_id = NEW.profile_id AND customer_id = NEW.id
    RETURNING id, origin IS NOT NULL AS names_origin
  )
  SELECT array_agg(id), bool_or(moving.names_origin) INTO moved, names_origin FROM moving;
  IF moved IS NULL THEN RETURN NULL; END IF;
  -- What brought the outcomes of somebody is a touch of everything they did, so the survivor's own may have earned one, too.
  IF names_origin THEN
    moved := array(SELECT id FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into);
  END IF;
  PERFORM mark_merged(NEW.profile_id, NEW.id, moved);
  INSERT INTO dirty_customers (profile_id, customer_id) VALUES (NEW.profile_id, NEW.merged_into)
  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION links_follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  UPDATE visitor_links SET customer_id = NEW.merged_into, moved_from = coalesce(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND customer_id = NEW.id;
  -- The survivor's conversions may have earned touches of the browsers that came along.
  IF FOUND THEN
    PERFORM mark_merged(NEW.profile_id, NEW.id,
      array(SELECT id FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION mark_touched(profile_ids uuid[], visitor_ids uuid[], touched_at timestamptz[]) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ DECLARE marked bigint; BEGIN
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
