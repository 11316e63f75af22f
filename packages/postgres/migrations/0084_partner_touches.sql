-- What partners tell of customers beside outcomes: the ad that a past conversation came from, and how a customer says to have found the
-- business. Each is a touch at its own moment; attribution stages them with the origins of outcomes.
CREATE TABLE partner_touches (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('ad_referral', 'declared_source')),
  -- A keyed hash of the caller's own key of it: the ids of WhatsApp's messages have phone numbers in them.
  told_hash bytea NOT NULL,
  customer_id uuid NOT NULL,
  occurred_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  -- What brought the customer, like that of an outcome.
  origin jsonb NOT NULL,
  -- What the platform calls the ad.
  ad_external_id text COLLATE "C",
  answer_key text,
  answer_text text,
  -- Another answer of the same customer, told earlier, stands: the two became one person later.
  is_second boolean NOT NULL DEFAULT false,
  moved_from uuid,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, kind, told_hash),
  CHECK ((kind = 'declared_source') = (answer_key IS NOT NULL)),
  CHECK ((kind = 'ad_referral') = (ad_external_id IS NOT NULL))
);
CREATE INDEX partner_touches_by_customer ON partner_touches (profile_id, customer_id, occurred_at, id);
-- One answer of a customer counts.
CREATE UNIQUE INDEX partner_touches_one_answer ON partner_touches (profile_id, customer_id) WHERE kind = 'declared_source' AND NOT is_second;
ALTER TABLE partner_touches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON partner_touches TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON partner_touches TO tributary_app;

-- Touches follow a merge, and of two answers the one that was told first stands. All that the survivor did may have earned a touch.
CREATE FUNCTION partner_touches_follow_merge() RETURNS trigger
  LANGUAGE plpgsql
AS $$ DECLARE
  first uuid := (
    SELECT id FROM partner_touches
    WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, NEW.merged_into) AND kind = 'declared_source' AND NOT is_second
    ORDER BY recorded_at, id LIMIT 1);
BEGIN
  UPDATE partner_touches SET is_second = true
  WHERE profile_id = NEW.profile_id AND customer_id IN (NEW.id, NEW.merged_into) AND kind = 'declared_source' AND id <> first;
  UPDATE partner_touches SET customer_id = NEW.merged_into, moved_from = coalesce(moved_from, NEW.id)
  WHERE profile_id = NEW.profile_id AND customer_id = NEW.id;
  IF FOUND THEN
    PERFORM mark_merged(NEW.profile_id, NEW.id,
      array(SELECT id FROM outcomes WHERE profile_id = NEW.profile_id AND customer_id = NEW.merged_into));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER partner_touches_follow_merge AFTER UPDATE OF merged_into ON customers
  FOR EACH ROW WHEN (NEW.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into) EXECUTE FUNCTION partner_touches_follow_merge();
