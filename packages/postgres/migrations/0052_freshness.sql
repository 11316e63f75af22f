-- Since when what reports do not show yet has been waiting. Marked again, a row keeps the moment: whoever waits, waits since then. So
-- how far the figures are can be said from the ledger alone, also when nothing works.
ALTER TABLE dirty_conversions ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE dirty_entities ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE dirty_delivery ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();

CREATE POLICY queue ON attribution_freshness FOR SELECT TO tributary_system USING (true);
GRANT SELECT ON attribution_freshness TO tributary_system;
CREATE INDEX attribution_freshness_behind ON attribution_freshness (profile_id) WHERE state = 'behind';

-- Profiles after `after` whose next conversion has been waiting since before `since`, at most `most` of them. They are stepped through by the
-- key, so a million of one cost no more than one; of each the conversion that is next in turn is looked at, which is the longest untouched.
CREATE FUNCTION list_waiting_attribution(after uuid, since timestamptz, most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE
AS $$ DECLARE
  candidate uuid := after;
  oldest timestamptz;
  found_ones integer := 0;
BEGIN
  LOOP
    SELECT d.profile_id INTO candidate FROM dirty_conversions d WHERE d.profile_id > candidate ORDER BY d.profile_id LIMIT 1;
    EXIT WHEN candidate IS NULL OR found_ones = most;
    SELECT d.marked_at INTO oldest FROM dirty_conversions d WHERE d.profile_id = candidate ORDER BY d.revision LIMIT 1;
    IF oldest <= since THEN
      found_ones := found_ones + 1;
      RETURN NEXT candidate;
    END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION list_waiting_attribution FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_waiting_attribution TO tributary_system;

-- Money without a rate is said beside the reports of its days.
CREATE INDEX outcomes_without_rate_by_time ON outcomes_without_rate (profile_id, occurred_at);

-- The columns learn from a batch what platforms call the ads that outcomes name: those of before are worked out once more.
CREATE POLICY mark_once ON outcomes FOR SELECT TO tributary_owner USING (true);
INSERT INTO dirty_conversions (profile_id, outcome_id, cause)
SELECT profile_id, id, 'named_ad' FROM outcomes
WHERE origin IS NOT NULL AND origin->>'ad_id' <> '00000000-0000-0000-0000-000000000000'
ON CONFLICT DO NOTHING;
DROP POLICY mark_once ON outcomes;
