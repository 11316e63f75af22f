-- Partitions the ever-growing tables by a hash of the profile, in an empty database (docs/decisions/0012). The partitions are in a schema that only
-- the owner may access. Foreign keys connect partitions instead of tables, and none point to profiles.
CREATE SCHEMA parts;

DO $$
DECLARE
  name text;
  one record;
BEGIN
  FOREACH name IN ARRAY '{customers,outcomes,identifiers,visitor_links,search_terms,outcome_totals,dirty_conversions}'::text[] LOOP
    EXECUTE format('CREATE TABLE parts.%1$I (LIKE public.%1$I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY HASH (profile_id)', name);
    FOR one IN
      SELECT replace(pg_get_indexdef(i.indexrelid), ' ON public.', ' ON parts.') AS made, c.conname, pg_get_constraintdef(c.oid) AS said
      FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid AND c.contype IN ('p', 'u')
      WHERE i.indrelid = format('public.%I', name)::regclass
    LOOP
      EXECUTE CASE WHEN one.conname IS NULL THEN one.made ELSE format('ALTER TABLE parts.%I ADD CONSTRAINT %I %s', name, one.conname, one.said) END;
    END LOOP;
  END LOOP;
END $$;

DO $$
DECLARE
  names text[] := '{customers,outcomes,identifiers,visitor_links,search_terms,outcome_totals,dirty_conversions}';
  tables oid[] := ARRAY(SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (names));
  views oid[] := ARRAY(SELECT DISTINCT r.ev_class FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (tables));
  parts int := 16;
  -- The definitions that belong to a table according to the catalogue, to be recreated for its successor.
  again text[];
  -- Foreign keys between these tables.
  inner_keys text[];
  statement text;
  one record;
BEGIN
  again := ARRAY(
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE contype = 'f' AND confrelid = ANY (tables) AND conrelid <> ALL (tables) ORDER BY conname);
  again := again || ARRAY(SELECT format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t::regclass) FROM unnest(tables) t);
  again := again || ARRAY(
    SELECT format('CREATE POLICY %I ON %I FOR %s TO %s USING (%s)', policyname, tablename, cmd, array_to_string(roles, ', '), qual) FROM pg_policies
    WHERE schemaname = 'public' AND tablename = ANY (names));
  again := again || ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = ANY (tables) AND NOT tgisinternal ORDER BY tgname);
  again := again || ARRAY(
    SELECT format('CREATE VIEW %s WITH (%s) AS %s', v::regclass, array_to_string(reloptions, ', '), pg_get_viewdef(v))
    FROM unnest(views) v JOIN pg_class c ON c.oid = v ORDER BY v);
  again := again || ARRAY(
    SELECT format('GRANT %s ON %I TO %I', string_agg(privilege_type, ', '), relname, grantee::regrole::name)
    FROM pg_class, aclexplode(relacl) WHERE oid = ANY (tables || views) AND grantee <> relowner GROUP BY relname, grantee);
  again := again || pg_get_functiondef('mark_merged'::regproc);
  inner_keys := ARRAY(
    SELECT format('ALTER TABLE parts.%s_%%1$s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
      replace(pg_get_constraintdef(oid), format('REFERENCES %s(', confrelid::regclass), format('REFERENCES parts.%s_%%1$s(', confrelid::regclass)))
    FROM pg_constraint WHERE contype = 'f' AND confrelid = ANY (tables) AND conrelid = ANY (tables) ORDER BY conname);

  -- Drops the objects that depend on the tables.
  CREATE OR REPLACE FUNCTION mark_merged(profile uuid, loser uuid, outcome_ids uuid[]) RETURNS void LANGUAGE sql AS 'SELECT';
  FOR one IN SELECT v::regclass AS name FROM unnest(views) v ORDER BY v DESC LOOP EXECUTE format('DROP VIEW %s', one.name); END LOOP;
  FOR one IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
    WHERE contype = 'f' AND ((confrelid = ANY (tables) AND conrelid <> ALL (tables)) OR (conrelid = ANY (tables) AND confrelid = 'profiles'::regclass))
  LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.name, one.conname); END LOOP;
  FOR one IN
    SELECT relname AS name, coalesce('WITH (' || array_to_string(reloptions, ', ') || ')', '') AS options FROM pg_class WHERE oid = ANY (tables)
  LOOP
    FOR part IN 0 .. parts - 1 LOOP
      EXECUTE format('CREATE TABLE parts.%I PARTITION OF parts.%I FOR VALUES WITH (MODULUS %s, REMAINDER %s) %s',
        one.name || '_' || part, one.name, parts, part, one.options);
    END LOOP;
  END LOOP;
  -- A profile is in the same partition of each table. A foreign key between two partitions is checked with a cached plan; for a partitioned table, a
  -- plan would be made for every row.
  FOREACH statement IN ARRAY inner_keys LOOP
    FOR part IN 0 .. parts - 1 LOOP EXECUTE format(statement, part); END LOOP;
  END LOOP;
  DROP TABLE customers, outcomes, identifiers, visitor_links, search_terms, outcome_totals, dirty_conversions;
  FOREACH statement IN ARRAY names LOOP EXECUTE format('ALTER TABLE parts.%I SET SCHEMA public', statement); END LOOP;
  FOREACH statement IN ARRAY again LOOP EXECUTE statement; END LOOP;
END $$;
