-- What brought the outcomes of somebody is a touch of everything they did. So when some of those that follow a merge name their
-- origin, the survivor's own conversions may have earned one, too.
CREATE OR REPLACE FUNCTION follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ BEGIN
  WITH moved AS (
    UPDATE outcomes SET customer_id = NEW.merged_into WHERE profile_id = NEW.profile_id AND customer_id = NEW.id
    RETURNING id, origin IS NOT NULL AS names_origin
  ), affected AS (
    SELECT id FROM moved
    UNION ALL
    -- These are the survivor's of before: a statement does not see what it has moved itself.
    SELECT id FROM outcomes
    WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into AND EXISTS (SELECT FROM moved WHERE names_origin)
  ), dirty AS (
    INSERT INTO dirty_conversions (profile_id, outcome_id, cause) SELECT NEW.profile_id, id, 'merge' FROM affected ORDER BY id
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), cause = 'merge'
  )
  INSERT INTO dirty_customers (profile_id, customer_id)
  SELECT DISTINCT NEW.profile_id, NEW.merged_into FROM moved
  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');
  RETURN NULL;
END $$;
