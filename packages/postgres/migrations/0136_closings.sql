-- Months that somebody closed: the settled moment that their figures are held against from then on.
CREATE TABLE closings (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  -- Its first day.
  month date NOT NULL CHECK (month = date_trunc('month', month)),
  mark_at timestamptz(3) NOT NULL,
  closed_at timestamptz NOT NULL,
  closed_by_kind text NOT NULL,
  closed_by_id uuid,
  PRIMARY KEY (profile_id, month)
);
ALTER TABLE closings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON closings TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT ON closings TO tributary_app;
