-- Reconciliation against what providers and ad accounts say themselves, and of reports with what they are made of.
ALTER TABLE reconciliations
  ADD COLUMN books text[] NOT NULL DEFAULT '{columns}',
  -- Connections whose provider could not be asked, with the reason.
  ADD COLUMN unread jsonb NOT NULL DEFAULT '[]';
-- The nightly run and the weekly one of all days end on the same day.
DROP INDEX reconciliations_once_a_night;
CREATE UNIQUE INDEX reconciliations_once_a_night ON reconciliations (profile_id, date_to, date_from) WHERE is_nightly;

ALTER TABLE reconciliation_differences
  -- The conversion, where it is one.
  ALTER COLUMN subject_id DROP NOT NULL,
  ADD COLUMN book text NOT NULL DEFAULT 'columns',
  -- Pending ones are kept so that the next run knows what was said before.
  ADD COLUMN state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'pending', 'explained')),
  ADD COLUMN note text,
  ADD COLUMN currency text,
  ADD COLUMN channel text,
  ADD COLUMN connection_id uuid,
  ADD COLUMN external_id text,
  ADD COLUMN level text,
  ADD COLUMN model text,
  ADD COLUMN at_provider numeric,
  ADD COLUMN in_reports numeric;
CREATE INDEX reconciliation_differences_said ON reconciliation_differences (profile_id, day, channel) WHERE book = 'ad_accounts';
CREATE INDEX reconciliation_differences_explained ON reconciliation_differences (profile_id) WHERE state = 'explained';
CREATE POLICY counted ON reconciliation_differences FOR SELECT TO tributary_owner USING (true);

DROP FUNCTION queue_reconciliations;
-- As the owner, who alone knows all profiles. Once a night, whoever else runs the job, too.
CREATE FUNCTION queue_reconciliations(first_day date, last_day date, of_books text[], at timestamptz) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ DECLARE queued bigint; BEGIN
  INSERT INTO reconciliations (profile_id, id, state, is_nightly, date_from, date_to, books, requested_at)
  SELECT id, gen_random_uuid(), 'queued', true, first_day, last_day, of_books, at FROM profiles
  ON CONFLICT (profile_id, date_to, date_from) WHERE is_nightly DO NOTHING;
  GET DIAGNOSTICS queued = ROW_COUNT;
  RETURN queued;
END $$;
REVOKE ALL ON FUNCTION queue_reconciliations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION queue_reconciliations TO tributary_system;

-- For the metric: what the latest nightly run of each profile found and nobody explained, by kind.
CREATE FUNCTION count_differences(since timestamptz) RETURNS TABLE (kind text, differences bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
  SELECT d.kind, count(*)
  FROM (
    SELECT DISTINCT ON (profile_id) profile_id, id FROM reconciliations
    WHERE is_nightly AND state = 'done' AND requested_at > since ORDER BY profile_id, requested_at DESC, id DESC) AS latest
  JOIN reconciliation_differences d ON d.profile_id = latest.profile_id AND d.reconciliation_id = latest.id
  WHERE d.state = 'open'
  GROUP BY d.kind
$$;
REVOKE ALL ON FUNCTION count_differences FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_differences TO tributary_system;
