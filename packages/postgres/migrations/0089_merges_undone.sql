-- What taking a merge back needs, and what keeps the two apart afterwards.

-- Of which two customers the message named identifiers, where merges of before had made more than two one person. With these the merges
-- of a person are a tree, and without one of its edges it falls into two. And how much a merge moved: the largest are looked at first.
ALTER TABLE merges
  ADD COLUMN named_one uuid,
  ADD COLUMN named_other uuid,
  ADD COLUMN moved_identifiers integer NOT NULL DEFAULT 0,
  ADD COLUMN moved_browsers integer NOT NULL DEFAULT 0,
  ADD COLUMN moved_outcomes integer NOT NULL DEFAULT 0;
-- The merges of a person, by an end of each.
CREATE INDEX merges_by_end ON merges (profile_id, (coalesce(named_one, loser_id)));
CREATE INDEX merges_by_size ON merges (profile_id, (moved_identifiers + moved_browsers + moved_outcomes), id);

CREATE TABLE kept_apart (
  profile_id uuid NOT NULL,
  -- The two that a merge had joined, and who each of them is by now.
  one uuid NOT NULL,
  other uuid NOT NULL,
  one_is uuid NOT NULL,
  other_is uuid NOT NULL,
  merge_id uuid NOT NULL,
  kept_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, one, other),
  FOREIGN KEY (profile_id, one) REFERENCES customers ON DELETE CASCADE,
  FOREIGN KEY (profile_id, other) REFERENCES customers ON DELETE CASCADE
);
CREATE INDEX kept_apart_by_one ON kept_apart (profile_id, one_is);
CREATE INDEX kept_apart_by_other ON kept_apart (profile_id, other_is);
CREATE INDEX kept_apart_by_second ON kept_apart (profile_id, other);
ALTER TABLE kept_apart ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON kept_apart TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON kept_apart TO tributary_app;

-- Counts what a merge moved. The merge itself is written before the customers whose triggers call this.
CREATE FUNCTION count_moved(profile uuid, loser uuid, browsers bigint, outcomes bigint) RETURNS void
  LANGUAGE sql
BEGIN ATOMIC
  UPDATE merges m SET moved_browsers = m.moved_browsers + browsers, moved_outcomes = m.moved_outcomes + outcomes
  WHERE m.profile_id = profile AND m.loser_id = loser
    AND m.merged_at = (SELECT max(latest.merged_at) FROM merges latest WHERE latest.profile_id = profile AND latest.loser_id = loser);
END;

CREATE OR REPLACE FUNCTION follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ DECLARE
  moved uuid[];
  names_origin boolean;
BEGIN
  WITH moving AS (
    -- Of whom it was said, which may be somebody who was merged into the loser by that very message.
    UPDATE outcomes o SET customer_id = NEW.merged_into, moved_from = coalesce(o.moved_from, CASE WHEN NOT o.is_payer_assigned THEN (
      SELECT i.moved_from FROM identifiers i WHERE i.profile_id = o.profile_id AND i.kind = o.named_kind AND i.value = o.named_value
        AND i.customer_id IN (NEW.id, NEW.merged_into)) END, NEW.id)
    WHERE o.profile_id = NEW.profile_id AND o.customer_id = NEW.id
    RETURNING o.id, o.origin IS NOT NULL AS names_origin
  )
  SELECT array_agg(id), bool_or(moving.names_origin) INTO moved, names_origin FROM moving;
  IF moved IS NULL THEN RETURN NULL; END IF;
  PERFORM count_moved(NEW.profile_id, NEW.id, 0, cardinality(moved));
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
AS $$ DECLARE moved bigint; BEGIN
  UPDATE visitor_links SET customer_id = NEW.merged_into, moved_from = coalesce(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND customer_id = NEW.id;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved = 0 THEN RETURN NULL; END IF;
  PERFORM count_moved(NEW.profile_id, NEW.id, moved, 0);
  -- The survivor's conversions may have earned touches of the browsers that came along.
  PERFORM mark_merged(NEW.profile_id, NEW.id,
    array(SELECT id FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into));
  RETURN NULL;
END $$;

-- A customer and all who were merged into it.
CREATE FUNCTION merged_under(profile uuid, customer uuid) RETURNS uuid[]
  LANGUAGE sql STABLE
AS $$
  WITH RECURSIVE under AS (
    SELECT customer AS id
    UNION ALL
    SELECT c.id FROM under JOIN customers c ON c.profile_id = profile AND c.merged_into = under.id
  )
  SELECT array_agg(id) FROM under
$$;

-- Whoever takes a merge back lets go of the customer at last, when its identifiers are its own again and those who stay with it are merged
-- into it: the rooms above give it what was its own. It was merged into whom it was one with, directly.

-- Browsers, by whom they were linked to.
CREATE FUNCTION links_follow_split() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  UPDATE visitor_links SET customer_id = NEW.id, moved_from = nullif(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND customer_id = OLD.merged_into AND moved_from = ANY (merged_under(NEW.profile_id, NEW.id));
  RETURN NULL;
END $$;
CREATE TRIGGER a_visitors_follow_split AFTER UPDATE OF merged_into ON customers
  FOR EACH ROW WHEN (NEW.merged_into IS NULL AND OLD.merged_into IS NOT NULL) EXECUTE FUNCTION links_follow_split();

-- What partners told. Of several answers of one person the first counts.
CREATE FUNCTION partner_touches_follow_split() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  UPDATE partner_touches SET customer_id = NEW.id, moved_from = nullif(moved_from, NEW.id), is_second = is_second OR kind = 'declared_source'
  WHERE profile_id = NEW.profile_id AND customer_id = OLD.merged_into AND moved_from = ANY (merged_under(NEW.profile_id, NEW.id));
  IF FOUND THEN
    UPDATE partner_touches t SET is_second = false
    FROM (SELECT DISTINCT ON (customer_id) id, bool_and(is_second) OVER (PARTITION BY customer_id) AS is_open FROM partner_touches
      WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, OLD.merged_into) AND kind = 'declared_source'
      ORDER BY customer_id, recorded_at, id) AS first
    WHERE t.profile_id = NEW.profile_id AND t.id = first.id AND first.is_open;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER b_partner_touches_follow_split AFTER UPDATE OF merged_into ON customers
  FOR EACH ROW WHEN (NEW.merged_into IS NULL AND OLD.merged_into IS NOT NULL) EXECUTE FUNCTION partner_touches_follow_split();

-- Outcomes: by whose they were before the merge; what came since by what its message named, and where it named nothing, by its browser.
-- What names nobody of the two stays. Both sides are worked out again. Locked in the order of their keys, as whoever records locks.
CREATE FUNCTION outcomes_follow_split() RETURNS trigger
  LANGUAGE plpgsql
AS $$ DECLARE
  under uuid[] := merged_under(NEW.profile_id, NEW.id);
  moving uuid[];
BEGIN
  SELECT array_agg(id) INTO moving FROM (
    SELECT o.id FROM outcomes o
    WHERE o.profile_id = NEW.profile_id AND o.customer_id = OLD.merged_into AND (
      o.moved_from = ANY (under)
      OR (o.moved_from IS NULL AND NOT o.is_payer_assigned AND o.named_kind IS NOT NULL AND EXISTS (
        SELECT FROM identifiers i WHERE i.profile_id = o.profile_id AND i.kind = o.named_kind AND i.value = o.named_value AND i.customer_id = NEW.id))
      OR (o.visitor_id IS NOT NULL AND NOT o.is_payer_assigned AND (o.moved_from = o.visitor_id OR (o.moved_from IS NULL AND o.named_kind IS NULL)) AND EXISTS (
        SELECT FROM visitor_links l WHERE l.profile_id = o.profile_id AND l.visitor_id = o.visitor_id AND l.customer_id = NEW.id)))
    ORDER BY o.idempotency_key FOR UPDATE) AS locked;
  UPDATE outcomes SET customer_id = NEW.id, moved_from = nullif(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND id = ANY (moving);
  INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes, cause_ref)
  SELECT NEW.profile_id, id, '{split}', nullif(current_setting('tributary.undone_merge', true), '')::uuid FROM outcomes
  WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, OLD.merged_into) ORDER BY id
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'),
    causes = unite_causes(d.causes, excluded.causes), cause_ref = CASE WHEN d.cause_ref = excluded.cause_ref THEN d.cause_ref END;
  INSERT INTO dirty_customers (profile_id, customer_id)
  SELECT NEW.profile_id, id FROM unnest(ARRAY[NEW.id, OLD.merged_into]) AS id ORDER BY id
  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');
  RETURN NULL;
END $$;
CREATE TRIGGER c_outcomes_follow_split AFTER UPDATE OF merged_into ON customers
  FOR EACH ROW WHEN (NEW.merged_into IS NULL AND OLD.merged_into IS NOT NULL) EXECUTE FUNCTION outcomes_follow_split();

-- A summary of two people is one of neither.
CREATE FUNCTION summaries_follow_split() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  DELETE FROM journey_summaries WHERE profile_id = NEW.profile_id AND person_id IN (NEW.id, OLD.merged_into);
  RETURN NULL;
END $$;
CREATE TRIGGER d_summaries_follow_split AFTER UPDATE OF merged_into ON customers
  FOR EACH ROW WHEN (NEW.merged_into IS NULL AND OLD.merged_into IS NOT NULL) EXECUTE FUNCTION summaries_follow_split();

-- As before, and of whom each identifier was said, who of them were several people once, and which of them are to be kept apart. The one before is
-- put aside and dropped later (0201): a statement of the version before may just have found it.
ALTER FUNCTION open_customers RENAME TO open_customers_before;
CREATE FUNCTION open_customers(
  of_profile uuid, stripe_space integer, stripes integer[], kinds text[], names text[], hashes bytea[], strong_kinds text[],
  OUT known jsonb, OUT people jsonb, OUT apart jsonb)
LANGUAGE plpgsql AS $$
DECLARE wanted uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(stripe_space, stripe) FROM unnest(stripes) AS stripe;
  FOR attempt IN 1 .. 100 LOOP
    -- One statement, so that an erasure is seen whole or not.
    SELECT jsonb_agg(jsonb_build_object('kind', said.kind, 'value', said.name, 'customerId', i.customer_id, 'movedFrom', i.moved_from, 'erasedAt', t.erased_at, 'wasStrong', t.was_strong)),
      array_agg(DISTINCT i.customer_id) FILTER (WHERE i.customer_id IS NOT NULL)
    INTO known, wanted
    FROM unnest(kinds, names, hashes) AS said (kind, name, hash)
    LEFT JOIN LATERAL (
      SELECT customer_id, moved_from FROM identifiers
      WHERE profile_id = of_profile AND kind = said.kind COLLATE "C" AND value >= said.name COLLATE "C" AND value <= said.name COLLATE "C"
      ORDER BY value LIMIT 1) i ON true
    LEFT JOIN LATERAL (
      SELECT erased_at, was_strong FROM tombstones WHERE profile_id = of_profile AND hash = said.hash ORDER BY erased_at DESC LIMIT 1) t ON true
    WHERE i.customer_id IS NOT NULL OR t.erased_at IS NOT NULL;
    IF wanted IS NULL THEN RETURN; END IF;
    BEGIN
      -- In the order of their ids, which is that of the list.
      SELECT jsonb_agg(to_jsonb(c)) INTO people
      FROM unnest(wanted) AS one (id) CROSS JOIN LATERAL (
        SELECT id, created_at AS "createdAt", first_name AS "firstName", last_name AS "lastName", primary_email AS "primaryEmail",
          primary_phone AS "primaryPhone", sources, terms, first_seen_at AS "firstSeenAt", last_seen_at AS "lastSeenAt", own IS NOT NULL AS "isSeveral"
        FROM customers WHERE profile_id = of_profile AND id >= one.id AND id <= one.id AND merged_into IS NULL
        ORDER BY id LIMIT 1 FOR NO KEY UPDATE) c;
      IF jsonb_array_length(people) = cardinality(wanted) THEN
        -- What they hold is asked only when they are locked: before, somebody could still have been giving them a national id.
        SELECT jsonb_agg(p.person || jsonb_build_object('nationalId', n.value, 'isStrong', s.kind IS NOT NULL, 'ownKey', k.value)) INTO people
        FROM jsonb_array_elements(people) AS p (person) CROSS JOIN LATERAL (SELECT (p.person ->> 'id')::uuid AS id) c
        LEFT JOIN LATERAL (
          SELECT i.value FROM identifiers i
          WHERE i.profile_id = of_profile AND i.customer_id >= c.id AND i.customer_id <= c.id AND i.kind = 'national_id'
          ORDER BY i.customer_id LIMIT 1) n ON true
        LEFT JOIN LATERAL (
          SELECT i.kind FROM identifiers i
          WHERE i.profile_id = of_profile AND i.customer_id >= c.id AND i.customer_id <= c.id AND i.kind = ANY (strong_kinds)
          ORDER BY i.customer_id LIMIT 1) s ON true
        LEFT JOIN LATERAL (
          SELECT i.value FROM (
            SELECT i.value, i.moved_from, i.said_at FROM identifiers i
            WHERE i.profile_id = of_profile AND i.customer_id >= c.id AND i.customer_id <= c.id AND i.kind = 'external_customer_id' ORDER BY i.customer_id) i
          ORDER BY i.moved_from IS NOT NULL, i.said_at, i.value LIMIT 1) k ON true;
        IF cardinality(wanted) > 1 THEN
          SELECT jsonb_agg(jsonb_build_array(a.one_is, a.other_is)) INTO apart FROM kept_apart a
          WHERE a.profile_id = of_profile AND a.one_is = ANY (wanted) AND a.other_is = ANY (wanted);
        END IF;
        RETURN;
      END IF;
      RAISE SQLSTATE 'TRCHG';
    EXCEPTION WHEN SQLSTATE 'TRCHG' THEN
      -- While we waited for one of them it was merged or erased. What we held is free again, or the order would be lost, and we look again.
    END;
  END LOOP;
  RAISE EXCEPTION 'The customers of a batch did not hold still.';
END $$;
