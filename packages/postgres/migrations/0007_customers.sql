-- People, and what they are known by. Sized for 20 million customers in one profile: every key begins with the profile, every
-- query is a lookup or a bounded range, and nothing that changes often is indexed.

CREATE TABLE customers (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  first_name text,
  last_name text,
  -- The first of each kind that became known, beside the customer, so that a list of people reads no second table.
  primary_email text,
  primary_phone text,
  -- Who has told of this customer.
  sources text[] NOT NULL,
  -- All that the customer is found by; search_terms follows it.
  terms text[] NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  -- Set on a customer that turned out to be another one, who may have turned out to be a third since.
  merged_into uuid,
  PRIMARY KEY (profile_id, id),
  FOREIGN KEY (profile_id, merged_into) REFERENCES customers
) WITH (fillfactor = 90); -- Room for last_seen_at to change in place.
CREATE INDEX customers_by_survivor ON customers (profile_id, merged_into) WHERE merged_into IS NOT NULL;
ALTER TABLE customers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON customers TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON customers TO tributary_app;

CREATE TABLE identifiers (
  profile_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN (
    'national_id', 'external_customer_id', 'crm_contact_id', 'store_customer_id', 'payments_customer_id', 'email', 'phone', 'wa_id')),
  value text COLLATE "C" NOT NULL,
  customer_id uuid NOT NULL,
  -- The evidence: what said that this is theirs, and when.
  source text NOT NULL,
  said_at timestamptz NOT NULL,
  request_id uuid,
  -- Whom it was said of, where a merge has moved it since. This and `merges` are what a merge is undone by.
  moved_from uuid,
  PRIMARY KEY (profile_id, kind, value),
  FOREIGN KEY (profile_id, customer_id) REFERENCES customers ON DELETE CASCADE
);
CREATE INDEX identifiers_by_customer ON identifiers (profile_id, customer_id, kind);
-- Two national ids are two people. The rules see to it; this would stop a writer that forgot them.
CREATE UNIQUE INDEX identifiers_one_national_id ON identifiers (profile_id, customer_id) WHERE kind = 'national_id';
ALTER TABLE identifiers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON identifiers TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON identifiers TO tributary_app;

-- An identifier that was also said of somebody who cannot be its holder. Said again, it is the same conflict.
CREATE TABLE identity_conflicts (
  profile_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  customer_id uuid NOT NULL,
  source text NOT NULL,
  said_at timestamptz NOT NULL,
  request_id uuid,
  PRIMARY KEY (profile_id, kind, value, customer_id),
  FOREIGN KEY (profile_id, kind, value) REFERENCES identifiers ON DELETE CASCADE,
  FOREIGN KEY (profile_id, customer_id) REFERENCES customers ON DELETE CASCADE
);
CREATE INDEX identity_conflicts_by_customer ON identity_conflicts (profile_id, customer_id);
ALTER TABLE identity_conflicts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON identity_conflicts TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON identity_conflicts TO tributary_app;

CREATE TABLE merges (
  profile_id uuid NOT NULL,
  loser_id uuid NOT NULL,
  merged_at timestamptz NOT NULL,
  survivor_id uuid NOT NULL,
  source text NOT NULL,
  request_id uuid,
  -- Which kinds of identifiers the message named that showed the two to be one.
  said_kinds text[] NOT NULL,
  PRIMARY KEY (profile_id, loser_id, merged_at),
  FOREIGN KEY (profile_id, loser_id) REFERENCES customers ON DELETE CASCADE,
  FOREIGN KEY (profile_id, survivor_id) REFERENCES customers ON DELETE CASCADE
);
CREATE INDEX merges_by_survivor ON merges (profile_id, survivor_id);
ALTER TABLE merges ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON merges TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON merges TO tributary_app;

-- customers.terms turned round. Range conditions on "C" text are leakproof, so they use the key under row-level security;
-- LIKE is not, and would read the whole table. No reference to customers: it would need a second index as large as this one.
CREATE TABLE search_terms (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  term text COLLATE "C" NOT NULL,
  customer_id uuid NOT NULL,
  PRIMARY KEY (profile_id, term, customer_id)
);
ALTER TABLE search_terms ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON search_terms TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, DELETE ON search_terms TO tributary_app;

-- Kept by the ledger itself, a statement at a time, so that no writer can leave a name behind that it meant to remove.
CREATE FUNCTION follow_terms() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO search_terms SELECT DISTINCT profile_id, unnest(terms) AS term, id FROM new_rows ORDER BY term;
  ELSIF TG_OP = 'UPDATE' THEN
    DELETE FROM search_terms s USING (
      SELECT profile_id, unnest(terms) AS term, id FROM old_rows EXCEPT SELECT profile_id, unnest(terms), id FROM new_rows
    ) gone WHERE s.profile_id = gone.profile_id AND s.term = gone.term AND s.customer_id = gone.id;
    INSERT INTO search_terms
      SELECT profile_id, unnest(terms), id FROM new_rows EXCEPT SELECT profile_id, unnest(terms), id FROM old_rows;
  ELSE
    DELETE FROM search_terms s USING (SELECT profile_id, unnest(terms) AS term, id FROM old_rows) gone
    WHERE s.profile_id = gone.profile_id AND s.term = gone.term AND s.customer_id = gone.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER terms_of_inserted AFTER INSERT ON customers REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION follow_terms();
CREATE TRIGGER terms_of_updated AFTER UPDATE ON customers REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION follow_terms();
CREATE TRIGGER terms_of_deleted AFTER DELETE ON customers REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION follow_terms();
