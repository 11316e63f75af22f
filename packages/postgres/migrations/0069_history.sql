-- What would be forgotten otherwise. Columns without a default and empty tables: nothing is rewritten, and each lock is held for a moment.

-- Customers before outcomes, because that is the order in which requests take their locks.

-- What was said of a survivor itself, before the first merge filled it up from others.
ALTER TABLE customers ADD COLUMN own jsonb;

-- Whose an outcome was before a merge or a link moved it: a customer, or the browser that it stood under. The first one, as of
-- identifiers and browsers; `merges` says what came after. And the strongest identifier of the message that told of it, in which a merge
-- that is undone finds whose it is.
ALTER TABLE outcomes
  ADD COLUMN moved_from uuid,
  ADD COLUMN named_kind text COLLATE "C",
  ADD COLUMN named_value text COLLATE "C",
  -- ISO 3166-2: as the message said, or where the visit was.
  ADD COLUMN region text,
  ADD CONSTRAINT outcomes_named_whole CHECK ((named_kind IS NULL) = (named_value IS NULL)) NOT VALID,
  ADD CONSTRAINT outcomes_region_code CHECK (region ~ '^[A-Z]{2}-[A-Z0-9]{1,3}$') NOT VALID;

CREATE OR REPLACE FUNCTION follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ DECLARE
  moved uuid[];
  names_origin boolean;
BEGIN
  WITH moving AS (
    UPDATE outcomes SET customer_id = NEW.merged_into, moved_from = coalesce(moved_from, NEW.id)
    WHERE profile_id = NEW.profile_id AND customer_id = NEW.id
    RETURNING id, origin IS NOT NULL AS names_origin
  )
  SELECT array_agg(id), bool_or(moving.names_origin) INTO moved, names_origin FROM moving;
  IF moved IS NULL THEN RETURN NULL; END IF;
  -- What brought the outcomes of somebody is a touch of everything they did, so the survivor's own may have earned one, too.
  IF names_origin THEN
    moved := array(SELECT id FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into);
  END IF;
  PERFORM mark_merged(NEW.profile_id, NEW.id, moved);
  INSERT INTO dirty_customers (profile_id, customer_id) VALUES (NEW.profile_id, NEW.merged_into)
  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');
  RETURN NULL;
END $$;

-- What an entity was before: an ad that is told to be of another campaign moves last year's credit, and this says from where.
CREATE TABLE ad_entities_history (
  LIKE ad_entities,
  replaced_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id, revision),
  FOREIGN KEY (profile_id) REFERENCES profiles ON DELETE CASCADE
);
CREATE INDEX ad_entities_history_by_age ON ad_entities_history USING brin (replaced_at);
ALTER TABLE ad_entities_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON ad_entities_history TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON ad_entities_history TO tributary_system USING (true);
GRANT SELECT, INSERT, DELETE ON ad_entities_history TO tributary_app;
GRANT SELECT (profile_id, id, revision, replaced_at), DELETE ON ad_entities_history TO tributary_system;

-- By the table itself, so that no writer can forget it. The revision counts what reports show of an entity; days on which it was seen do not.
CREATE FUNCTION keep_entity() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  INSERT INTO ad_entities_history SELECT OLD.*, clock_timestamp() ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_entity AFTER UPDATE ON ad_entities
  FOR EACH ROW WHEN (OLD.revision IS DISTINCT FROM NEW.revision) EXECUTE FUNCTION keep_entity();

-- What a rate was taken for, until a bank or an operator said another.
CREATE TABLE exchange_rates_history (
  currency text NOT NULL,
  day date NOT NULL,
  replaced_at timestamptz NOT NULL,
  per_usd numeric NOT NULL,
  source text NOT NULL,
  PRIMARY KEY (currency, day, replaced_at)
);
GRANT SELECT ON exchange_rates_history TO tributary_app;
GRANT SELECT, INSERT, DELETE ON exchange_rates_history TO tributary_system;
CREATE FUNCTION keep_rate() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  INSERT INTO exchange_rates_history VALUES (OLD.currency, OLD.day, clock_timestamp(), OLD.per_usd, OLD.source);
  RETURN NULL;
END $$;
CREATE TRIGGER keep_rate AFTER UPDATE ON exchange_rates
  FOR EACH ROW WHEN (OLD.per_usd <> NEW.per_usd OR OLD.source <> NEW.source) EXECUTE FUNCTION keep_rate();

-- In which zone and currency a profile's days and figures were.
CREATE TABLE profile_settings_history (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  replaced_at timestamptz NOT NULL,
  time_zone text NOT NULL,
  reporting_currency text NOT NULL,
  PRIMARY KEY (profile_id, replaced_at)
);
ALTER TABLE profile_settings_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON profile_settings_history TO tributary_app USING (profile_id = current_profile());
CREATE POLICY keep ON profile_settings_history FOR INSERT TO tributary_owner WITH CHECK (true);
GRANT SELECT, DELETE ON profile_settings_history TO tributary_app;
-- As the owner: whoever may change a profile for its workspace stands behind no profile's wall.
CREATE FUNCTION keep_settings() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  INSERT INTO profile_settings_history VALUES (OLD.id, clock_timestamp(), OLD.time_zone, OLD.reporting_currency);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION keep_settings FROM PUBLIC;
CREATE TRIGGER keep_settings AFTER UPDATE OF time_zone, reporting_currency ON profiles
  FOR EACH ROW WHEN (OLD.time_zone <> NEW.time_zone OR OLD.reporting_currency <> NEW.reporting_currency) EXECUTE FUNCTION keep_settings();
