-- Customers with different keys of the caller are never merged automatically. What both carry is a claim, and the merge a proposal.
ALTER TABLE tombstones ADD COLUMN was_keyed boolean NOT NULL DEFAULT false;
-- Who confirmed a merge; null for one that messages made.
ALTER TABLE merges ADD COLUMN confirmed_by text;
-- A second national id of a keyed customer is recorded although no customer holds it.
ALTER TABLE identity_conflicts DROP CONSTRAINT identity_conflicts_profile_id_kind_value_fkey;

CREATE TABLE merge_proposals (
  profile_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- The two customers that a message named, the smaller id first: themselves, and not what they were merged into.
  one uuid NOT NULL,
  other uuid NOT NULL,
  -- The identifier that both carry.
  kind text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  source text NOT NULL,
  request_id uuid,
  proposed_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'confirmed', 'rejected')),
  decided_at timestamptz,
  decided_by text,
  reason text,
  merge_id uuid,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, one, other),
  FOREIGN KEY (profile_id, one) REFERENCES customers ON DELETE CASCADE,
  FOREIGN KEY (profile_id, other) REFERENCES customers ON DELETE CASCADE
);
CREATE INDEX merge_proposals_by_other ON merge_proposals (profile_id, other);
CREATE INDEX merge_proposals_by_state ON merge_proposals (profile_id, state, proposed_at, id);
ALTER TABLE merge_proposals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON merge_proposals TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON merge_proposals TO tributary_app;

CREATE OR REPLACE FUNCTION open_customers(of_profile uuid, stripe_space integer, stripes integer[], kinds text[], names text[], hashes bytea[], strong_kinds text[], OUT known jsonb, OUT people jsonb, OUT apart jsonb) RETURNS record
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE wanted uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(stripe_space, stripe) FROM unnest(stripes) AS stripe;
  FOR attempt IN 1 .. 100 LOOP
    -- One statement, so that an erasure is seen whole or not.
    SELECT jsonb_agg(jsonb_build_object('kind', said.kind, 'value', said.name, 'customerId', i.customer_id, 'movedFrom', i.moved_from, 'erasedAt', t.erased_at, 'wasStrong', t.was_strong, 'wasKeyed', t.was_keyed)),
      array_agg(DISTINCT i.customer_id) FILTER (WHERE i.customer_id IS NOT NULL)
    INTO known, wanted
    FROM unnest(kinds, names, hashes) AS said (kind, name, hash)
    LEFT JOIN LATERAL (
      SELECT customer_id, moved_from FROM identifiers
      WHERE profile_id = of_profile AND kind = said.kind COLLATE "C" AND value >= said.name COLLATE "C" AND value <= said.name COLLATE "C"
      ORDER BY value LIMIT 1) i ON true
    LEFT JOIN LATERAL (
      SELECT erased_at, was_strong, was_keyed FROM tombstones WHERE profile_id = of_profile AND hash = said.hash ORDER BY erased_at DESC LIMIT 1) t ON true
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
