-- Which browser is whose, what a browser did that counts, and what could not be understood.

-- A browser belongs to one customer at most, for good: nothing but a merge moves the link.
CREATE TABLE visitor_links (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  visitor_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  -- The evidence: what said so (identify, link_token, event), and when.
  source text NOT NULL CHECK (source IN ('identify', 'link_token', 'event', 'ad_referral', 'declared_source')),
  linked_at timestamptz NOT NULL,
  moved_from uuid,
  PRIMARY KEY (profile_id, visitor_id),
  FOREIGN KEY (profile_id, customer_id) REFERENCES customers ON DELETE CASCADE
);
CREATE INDEX visitor_links_by_customer ON visitor_links (profile_id, customer_id);
ALTER TABLE visitor_links ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON visitor_links TO tributary_app USING (profile_id = current_profile());
CREATE POLICY look_up ON visitor_links FOR SELECT TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON visitor_links TO tributary_app;

-- The browser that an outcome came from. Without a customer it stands for the converter.
ALTER TABLE outcomes ADD COLUMN visitor_id uuid;
CREATE INDEX outcomes_by_visitor ON outcomes (profile_id, visitor_id, occurred_at, id) WHERE visitor_id IS NOT NULL;
CREATE POLICY look_up ON outcomes FOR SELECT TO tributary_owner USING (true);
CREATE POLICY look_up ON definitions FOR SELECT TO tributary_owner USING (true);
CREATE POLICY look_up ON definition_events FOR SELECT TO tributary_owner USING (true);
CREATE POLICY mark ON dirty_conversions TO tributary_owner USING (true);

-- Links follow their customer through a merge, as outcomes do.
CREATE FUNCTION links_follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  UPDATE visitor_links SET customer_id = NEW.merged_into, moved_from = coalesce(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND customer_id = NEW.id;
  -- The survivor's conversions may have earned touches of the browsers that came along.
  IF FOUND THEN
    INSERT INTO dirty_conversions (profile_id, outcome_id, cause)
    SELECT NEW.profile_id, id, 'merge' FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), cause = 'merge';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER visitors_follow_merge AFTER UPDATE OF merged_into ON customers
  FOR EACH ROW WHEN (NEW.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into) EXECUTE FUNCTION links_follow_merge();

-- Marks the conversions that late touches may change: those of the browser's customer, or of the browser itself while it is
-- nobody's, within whose lookback a touch falls. One call for a batch of any number of profiles, since a pipeline's batch is of
-- many; it returns nothing but a count.
CREATE FUNCTION mark_touched(profile_ids uuid[], visitor_ids uuid[], touched_at timestamptz[]) RETURNS bigint
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
    INSERT INTO dirty_conversions (profile_id, outcome_id, cause) SELECT profile_id, id, 'late_touch' FROM affected
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), cause = 'late_touch'
    RETURNING 1
  )
  SELECT count(*) INTO marked FROM written;
  RETURN marked;
END $$;
REVOKE ALL ON FUNCTION mark_touched FROM PUBLIC;
GRANT EXECUTE ON FUNCTION mark_touched TO tributary_app, tributary_system;

-- Visits that could not be understood, with the reason in our own words. What was sent is sealed: nobody knows what is in it.
CREATE TABLE bad_visits (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  -- Made from the stream's message and the place in it, so that a redelivery is the same row.
  id uuid NOT NULL,
  reason text NOT NULL,
  sealed bytea NOT NULL,
  received_at timestamptz NOT NULL,
  -- Taken up again with better rules; the visit is in the warehouse then.
  replayed_at timestamptz,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX bad_visits_by_time ON bad_visits (profile_id, received_at, id);
ALTER TABLE bad_visits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON bad_visits TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON bad_visits TO tributary_app;
