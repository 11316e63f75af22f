-- Receipts of erasures, and what is still to be done for them.

CREATE TABLE erasures (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  request_ref text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'done')),
  reason text NOT NULL CHECK (reason IN ('data_subject_request', 'account_closed', 'other')),
  -- The caller's own key of the customer, sealed: the receipt says whom it is of, and nothing else that is kept does.
  customer_key bytea,
  requested_at timestamptz NOT NULL,
  completed_at timestamptz,
  -- How many rows were cleared, by store and table.
  cleared jsonb NOT NULL,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, request_ref),
  CHECK ((status = 'done') = (completed_at IS NOT NULL))
);
ALTER TABLE erasures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON erasures TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE ON erasures TO tributary_app;

-- An erasure whose second half is due. Ids only, and gone when it is done: afterwards nothing leads from the receipt to what the
-- person did.
CREATE TABLE erasure_work (
  profile_id uuid NOT NULL,
  erasure_id uuid NOT NULL,
  -- The customer without a person that outcomes and browsers were moved to.
  shell_id uuid NOT NULL,
  -- Under which ids the person stands in the columns: the customer's, and those of everybody merged into it.
  person_ids uuid[] NOT NULL,
  -- The end of the visits log, as it was found after the erasure. Null: nobody has looked yet.
  log_position bigint,
  PRIMARY KEY (profile_id, erasure_id),
  FOREIGN KEY (profile_id, erasure_id) REFERENCES erasures ON DELETE CASCADE
);
ALTER TABLE erasure_work ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON erasure_work TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON erasure_work TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON erasure_work TO tributary_app;
GRANT SELECT, UPDATE ON erasure_work TO tributary_system;
