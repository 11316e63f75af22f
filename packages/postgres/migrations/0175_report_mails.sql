-- Reports that are sent by e-mail. Whoever gets one is a member of the workspace and kept by their id: the address is looked up when it is sent.
CREATE TABLE report_mails (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  page text NOT NULL,
  model text NOT NULL,
  every text NOT NULL CHECK (every IN ('day', 'week', 'month')),
  language text NOT NULL,
  recipients uuid[] NOT NULL,
  made_by uuid NOT NULL,
  created_at timestamptz NOT NULL,
  -- When the next one is sent.
  due_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX report_mails_due ON report_mails (profile_id, due_at);
ALTER TABLE report_mails ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON report_mails TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON report_mails TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON report_mails TO tributary_app;
GRANT SELECT (profile_id, id, due_at), UPDATE (due_at), DELETE ON report_mails TO tributary_system;

-- One for each moment and whoever gets it. It is `sending` before the first byte leaves: who finds it so after a worker died cannot know whether the
-- mail arrived, and does not send it again.
CREATE TABLE report_mail_deliveries (
  profile_id uuid NOT NULL,
  mail_id uuid NOT NULL,
  -- The moment at which it was due.
  sent_for timestamptz NOT NULL,
  user_id uuid NOT NULL,
  date_from date NOT NULL,
  date_to date NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'failed')),
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  -- When it is looked at next; never again, once it is sent or has failed.
  due_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, mail_id, sent_for, user_id),
  FOREIGN KEY (profile_id, mail_id) REFERENCES report_mails ON DELETE CASCADE
);
CREATE INDEX report_mail_deliveries_due ON report_mail_deliveries (profile_id, due_at);
CREATE INDEX report_mail_deliveries_by_age ON report_mail_deliveries (sent_for);
ALTER TABLE report_mail_deliveries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON report_mail_deliveries TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON report_mail_deliveries TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON report_mail_deliveries TO tributary_app;
GRANT SELECT (profile_id, mail_id, sent_for, user_id, state, due_at), UPDATE (state, reason, due_at), DELETE ON report_mail_deliveries TO tributary_system;
CREATE TRIGGER announce_added AFTER INSERT ON report_mail_deliveries
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('report-mails');
