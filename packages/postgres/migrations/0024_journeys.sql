-- What is kept beside journeys: summaries that a model wrote and how many were asked for, and what each customer's outcomes come to.

CREATE TABLE journey_summaries (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  -- The customer, or a browser that nobody is known of.
  person_id uuid NOT NULL,
  -- The text is about a person, and written by somebody else's machine: nothing reads it but the two routes.
  sealed bytea NOT NULL,
  model text NOT NULL,
  generated_at timestamptz NOT NULL,
  events_used integer NOT NULL,
  is_truncated boolean NOT NULL,
  PRIMARY KEY (profile_id, person_id)
);
ALTER TABLE journey_summaries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON journey_summaries TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON journey_summaries TO tributary_app;

-- A summary of half a person would never be found again, and so never be erased either.
CREATE FUNCTION summaries_follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  DELETE FROM journey_summaries WHERE profile_id = NEW.profile_id AND person_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER summaries_follow_merge AFTER UPDATE OF merged_into ON customers
  FOR EACH ROW WHEN (NEW.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into) EXECUTE FUNCTION summaries_follow_merge();
CREATE FUNCTION summaries_follow_link() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  DELETE FROM journey_summaries s USING new_rows l WHERE s.profile_id = l.profile_id AND s.person_id = l.visitor_id;
  RETURN NULL;
END $$;
CREATE TRIGGER summaries_follow_link AFTER INSERT ON visitor_links REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION summaries_follow_link();

-- How often a workspace has asked a model on a day (UTC).
CREATE TABLE model_allowances (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  day date NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (workspace_id, day)
);
ALTER TABLE model_allowances ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON model_allowances TO tributary_app USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON model_allowances TO tributary_app;

-- What a customer's outcomes come to, by the names they came under: a list of people shows it without reading fifty thousand
-- payments. What a name means is still looked up when it is needed, so a changed definition changes nothing here.
CREATE TABLE outcome_totals (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  customer_id uuid NOT NULL,
  event_key text COLLATE "C" NOT NULL,
  event_type_key text COLLATE "C" NOT NULL,
  currency text NOT NULL,                               -- that amounts are reported in; '': there is none
  outcomes bigint NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (profile_id, customer_id, event_key, event_type_key, currency)
) WITH (fillfactor = 70); -- Room to count in place.
ALTER TABLE outcome_totals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON outcome_totals TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON outcome_totals TO tributary_app;

-- Counted by the ledger itself, a statement at a time and in the order of the key: whoever writes, moves, prices or deletes
-- outcomes, the totals are true when it commits.
CREATE FUNCTION count_outcomes() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO outcome_totals AS t
    SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, ''), count(*), coalesce(sum(reporting_amount), 0)
    FROM new_rows WHERE customer_id IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (profile_id, customer_id, event_key, event_type_key, currency)
    DO UPDATE SET outcomes = t.outcomes + excluded.outcomes, amount = t.amount + excluded.amount;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO outcome_totals AS t
    SELECT profile_id, customer_id, event_key, event_type_key, currency, sum(n), sum(amount)
    FROM (
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, '') AS currency, 1 AS n, coalesce(reporting_amount, 0) AS amount
      FROM new_rows
      UNION ALL
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, ''), -1, -coalesce(reporting_amount, 0)
      FROM old_rows
    ) AS change
    WHERE customer_id IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0 OR sum(amount) <> 0 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (profile_id, customer_id, event_key, event_type_key, currency)
    DO UPDATE SET outcomes = t.outcomes + excluded.outcomes, amount = t.amount + excluded.amount;
    IF NOT FOUND THEN RETURN NULL; END IF;
  ELSE
    -- Not an insert: where the whole profile goes, there is nothing left to refer to.
    UPDATE outcome_totals t SET outcomes = t.outcomes - gone.n, amount = t.amount - gone.amount
    FROM (
      SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, '') AS currency, count(*) AS n, coalesce(sum(reporting_amount), 0) AS amount
      FROM old_rows WHERE customer_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5
    ) AS gone
    WHERE (t.profile_id, t.customer_id, t.event_key, t.event_type_key, t.currency)
      = (gone.profile_id, gone.customer_id, gone.event_key, gone.event_type_key, gone.currency);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM outcome_totals t USING (SELECT DISTINCT profile_id, customer_id FROM old_rows) AS was
    WHERE t.profile_id = was.profile_id AND t.customer_id = was.customer_id AND t.outcomes = 0;
  END IF;
  RETURN NULL;
END $$;

-- The triggers lock the table against writers until this commits, so that nothing is counted twice or not at all.
CREATE TRIGGER totals_of_inserted AFTER INSERT ON outcomes REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_outcomes();
CREATE TRIGGER totals_of_updated AFTER UPDATE ON outcomes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_outcomes();
CREATE TRIGGER totals_of_deleted AFTER DELETE ON outcomes REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_outcomes();
CREATE POLICY count_once ON outcome_totals FOR INSERT TO tributary_owner WITH CHECK (true);
INSERT INTO outcome_totals
SELECT profile_id, customer_id, event_key, event_type_key, coalesce(reporting_currency, ''), count(*), coalesce(sum(reporting_amount), 0)
FROM outcomes WHERE customer_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5;
DROP POLICY count_once ON outcome_totals;
