-- As before, but for the profile of links and identifiers, which the row says: by the outcome's, PostgreSQL may read the links of all profiles once, for
-- all outcomes, instead of those of each.
CREATE OR REPLACE FUNCTION outcomes_follow_split() RETURNS trigger
  LANGUAGE plpgsql
AS $$ DECLARE
  under uuid[] := merged_under(NEW.profile_id, NEW.id);
  moving uuid[];
BEGIN
  SELECT array_agg(id) INTO moving FROM (
    SELECT o.id FROM outcomes o
    WHERE o.profile_id = NEW.profile_id AND o.customer_id = OLD.merged_into AND (
      o.moved_from = ANY (under)
      OR (o.moved_from IS NULL AND NOT o.is_payer_assigned AND o.named_kind IS NOT NULL AND EXISTS (
        SELECT FROM identifiers i WHERE i.profile_id = NEW.profile_id AND i.kind = o.named_kind AND i.value = o.named_value AND i.customer_id = NEW.id))
      OR (o.visitor_id IS NOT NULL AND NOT o.is_payer_assigned AND (o.moved_from = o.visitor_id OR (o.moved_from IS NULL AND o.named_kind IS NULL)) AND EXISTS (
        SELECT FROM visitor_links l WHERE l.profile_id = NEW.profile_id AND l.visitor_id = o.visitor_id AND l.customer_id = NEW.id)))
    ORDER BY o.idempotency_key FOR UPDATE) AS locked;
  UPDATE outcomes SET customer_id = NEW.id, moved_from = nullif(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND id = ANY (moving);
  INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes, cause_ref)
  SELECT NEW.profile_id, id, '{split}', nullif(current_setting('tributary.undone_merge', true), '')::uuid FROM outcomes
  WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, OLD.merged_into) ORDER BY id
  ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'),
    causes = unite_causes(d.causes, excluded.causes), cause_ref = CASE WHEN d.cause_ref = excluded.cause_ref THEN d.cause_ref END;
  INSERT INTO dirty_customers (profile_id, customer_id)
  SELECT NEW.profile_id, id FROM unnest(ARRAY[NEW.id, OLD.merged_into]) AS id ORDER BY id
  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');
  RETURN NULL;
END $$;
