-- Which two customers a message named, whether it joined them, found them one already or kept apart: when a merge is undone, this is what is left to say who is
-- one person. Only the first message that named both is kept: what keeps it from joining them keeps every later one, too.
CREATE TABLE said_together (
  profile_id uuid NOT NULL,
  -- Whom the message is about, and who else it names: themselves, and not whom they have become.
  one uuid NOT NULL,
  other uuid NOT NULL,
  said_at timestamptz NOT NULL,
  -- In the order in which they were taken in; within a message that of its identifiers, the strongest first.
  number bigint GENERATED ALWAYS AS IDENTITY,
  source text NOT NULL,
  request_id uuid,
  said_kinds text[] NOT NULL,
  PRIMARY KEY (profile_id, one, other),
  FOREIGN KEY (profile_id, one) REFERENCES customers ON DELETE CASCADE,
  FOREIGN KEY (profile_id, other) REFERENCES customers ON DELETE CASCADE
);
CREATE INDEX said_together_by_other ON said_together (profile_id, other);
ALTER TABLE said_together ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON said_together TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON said_together TO tributary_app;
