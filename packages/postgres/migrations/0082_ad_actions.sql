-- What was asked for at ad platforms: one row for each Idempotency-Key, and how it stands. Kept with the profile.
CREATE TABLE ad_actions (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('pause', 'resume', 'budget', 'url_tags', 'url_tags_undo')),
  platform text NOT NULL,
  level text NOT NULL CHECK (level IN ('campaign', 'ad_set', 'ad')),
  external_id text COLLATE "C" NOT NULL,
  connection_id uuid NOT NULL,
  -- Of the caller and its key, and of what was asked under it: another request under the same key is refused.
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  -- Whom it was done for, and by which credential.
  actor_kind text NOT NULL,
  actor_id uuid NOT NULL,
  applied_by uuid,
  request_id text NOT NULL,
  -- What was asked for: {status}, {daily_budget, currency}, {url_tags} or {creative_id}.
  wanted jsonb NOT NULL,
  undoes uuid,
  -- 'reading': nothing was sent yet. 'sent': it may have happened. The others are ends; after 'refused' and 'failed', which changed nothing,
  -- the same key may try again.
  state text NOT NULL CHECK (state IN ('reading', 'sent', 'applied', 'no_change', 'refused', 'failed', 'unknown')),
  before jsonb,
  after jsonb,
  affected_ads integer,
  reason text,
  created_at timestamptz NOT NULL,
  sent_at timestamptz,
  -- Who is at it: a request that was overtaken writes nothing any more.
  holder uuid,
  -- When it has to be looked after if nobody has ended it by then; null once it is over, infinity where that was set aside.
  due_at timestamptz,
  looks integer NOT NULL DEFAULT 0,
  PRIMARY KEY (profile_id, id),
  UNIQUE (profile_id, key_hash),
  CHECK ((state = 'reading' OR state = 'sent') = (due_at IS NOT NULL))
);
-- One at a time for each campaign, ad set or ad: else the order at the platform would not be the ledger's.
CREATE UNIQUE INDEX ad_actions_under_way ON ad_actions (profile_id, platform, level, external_id) WHERE due_at IS NOT NULL;
CREATE INDEX ad_actions_of_entity ON ad_actions (profile_id, platform, level, external_id, sent_at);
ALTER TABLE ad_actions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON ad_actions TO tributary_app USING (profile_id = current_profile());
CREATE POLICY under_way ON ad_actions TO tributary_system USING (due_at IS NOT NULL OR is_being_deleted(profile_id));
CREATE POLICY operator ON ad_actions TO tributary_owner USING (true);
GRANT SELECT, INSERT, UPDATE ON ad_actions TO tributary_app;
GRANT SELECT (profile_id, id, due_at), UPDATE (due_at), DELETE ON ad_actions TO tributary_system;

CREATE FUNCTION announce_ad_actions() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$ BEGIN
  PERFORM announce_work('ad-actions', ARRAY(SELECT DISTINCT profile_id FROM waiting WHERE due_at < 'infinity'));
  RETURN NULL;
END $$;
CREATE TRIGGER announce_added AFTER INSERT ON ad_actions
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_ad_actions();
CREATE TRIGGER announce_changed AFTER UPDATE ON ad_actions
  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_ad_actions();

-- The ledger: one entry before each call to the platform and one after, refusals too. Entries are added and never changed.
CREATE TABLE ad_action_entries (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  action_id uuid NOT NULL,
  stage text NOT NULL CHECK (stage IN ('attempted', 'applied', 'no_change', 'refused', 'failed', 'unknown')),
  before jsonb,
  after jsonb,
  reason text,
  -- The platform's own code.
  provider_code text,
  request_id text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX ad_action_entries_of_action ON ad_action_entries (profile_id, action_id, id);
ALTER TABLE ad_action_entries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON ad_action_entries TO tributary_app USING (profile_id = current_profile());
CREATE POLICY deleted_tenant ON ad_action_entries TO tributary_system USING (is_being_deleted(profile_id));
CREATE POLICY operator ON ad_action_entries TO tributary_owner USING (true);
GRANT SELECT, INSERT ON ad_action_entries TO tributary_app;
GRANT SELECT (profile_id, id), DELETE ON ad_action_entries TO tributary_system;
