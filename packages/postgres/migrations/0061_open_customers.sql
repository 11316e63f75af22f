-- Everything that identifiers concern, locked until the transaction ends, in one call. The order in which writers lock is said in
-- domain/customers/open-customers.ts. What is found is decided on there; this only reads and locks.
--
-- Each look-up goes from a name to its one row, as a range with its order: a plan is kept, perhaps from when the tables were empty, and
-- with equal signs it could be one that reads a profile from end to end.
CREATE FUNCTION open_customers(
  of_profile uuid, stripe_space integer, stripes integer[], kinds text[], names text[], hashes bytea[], strong_kinds text[],
  OUT known jsonb, OUT people jsonb)
LANGUAGE plpgsql AS $$
DECLARE wanted uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(stripe_space, stripe) FROM unnest(stripes) AS stripe;
  FOR attempt IN 1 .. 100 LOOP
    -- One statement, so that an erasure is seen whole or not.
    SELECT jsonb_agg(jsonb_build_object('kind', said.kind, 'value', said.name, 'customerId', i.customer_id, 'erasedAt', t.erased_at, 'wasStrong', t.was_strong)),
      array_agg(DISTINCT i.customer_id) FILTER (WHERE i.customer_id IS NOT NULL)
    INTO known, wanted
    FROM unnest(kinds, names, hashes) AS said (kind, name, hash)
    LEFT JOIN LATERAL (
      SELECT customer_id FROM identifiers
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
          primary_phone AS "primaryPhone", sources, terms, first_seen_at AS "firstSeenAt", last_seen_at AS "lastSeenAt"
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
        RETURN;
      END IF;
      RAISE SQLSTATE 'TRCHG';
    EXCEPTION WHEN SQLSTATE 'TRCHG' THEN
      -- While we waited for one of them it was merged or erased. What we held is free again, or the order would be lost, and we look again.
    END;
  END LOOP;
  RAISE EXCEPTION 'The customers of a batch did not hold still.';
END $$;
