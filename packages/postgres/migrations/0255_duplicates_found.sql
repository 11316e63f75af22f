-- When records of two sources first made up more than a small share of a day's cash as duplicates: members are alerted once.
ALTER TABLE sale_overlaps ADD COLUMN noticed_at timestamptz, ADD COLUMN noticed_day date;
CREATE INDEX sale_overlaps_alerted ON sale_overlaps (profile_id) WHERE NOT is_never AND (is_systematic OR noticed_at IS NOT NULL);
CREATE POLICY watched ON sale_overlaps FOR SELECT TO tributary_system USING (true);
CREATE POLICY watched ON sale_decisions FOR SELECT TO tributary_system USING (true);
GRANT SELECT ON sale_overlaps TO tributary_system;
GRANT SELECT (profile_id, decided_at) ON sale_decisions TO tributary_system;

ALTER TABLE alerts DROP CONSTRAINT alerts_kind_check,
  ADD CONSTRAINT alerts_kind_check CHECK (kind IN ('tracker_silent', 'figures_late', 'sync_failing', 'duplicates_found'));
