-- What ad platforms show and charge for: campaigns, ad sets and ads, and what each of them did on each day.

-- The id is made of profile, platform, level and the platform's id (packages/rules/entity-id.ts), so a touch knows its ad before
-- anybody has told of the ad. A parent may be known by nothing but its id.
CREATE TABLE ad_entities (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id uuid NOT NULL,
  platform text NOT NULL,
  level text NOT NULL CHECK (level IN ('campaign', 'ad_set', 'ad')),
  external_id text COLLATE "C" NOT NULL,
  -- The ad set of an ad, the campaign of an ad set; of an ad whose ad set nobody named, the campaign.
  parent_id uuid,
  name text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT '',
  objective text NOT NULL DEFAULT '',
  format text NOT NULL DEFAULT '',
  currency text NOT NULL DEFAULT '',
  daily_budget numeric,
  -- What else a platform says of an ad: thumbnail, video, call to action.
  creative jsonb NOT NULL DEFAULT '{}',
  -- The first and last day it, or what stands under it, was told of. An older day fills in, but does not rename.
  first_seen date NOT NULL,
  last_seen date NOT NULL,
  -- Counts what the copy in the columns shows of it.
  revision bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX ad_entities_by_parent ON ad_entities (profile_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX ad_entities_by_external_id ON ad_entities (profile_id, external_id);
ALTER TABLE ad_entities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON ad_entities TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON ad_entities TO tributary_app;

-- What an entity did on a day of the platform's account, in the account's currency and exactly as it was said. Null: not said.
CREATE TABLE ad_delivery (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  entity_id uuid NOT NULL,
  day date NOT NULL,
  -- 1, and one more with each restatement.
  revision bigint NOT NULL,
  recorded_at timestamptz NOT NULL,
  currency text NOT NULL,
  spend numeric NOT NULL CHECK (spend >= 0),
  impressions bigint NOT NULL,
  clicks bigint NOT NULL,
  reach bigint,
  conversions numeric,
  conversion_value numeric,
  video_views_3s bigint,
  video_completions bigint,
  messaging_conversations_started bigint,
  messaging_first_replies bigint,
  PRIMARY KEY (profile_id, entity_id, day)
);
ALTER TABLE ad_delivery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON ad_delivery TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON ad_delivery TO tributary_app;

-- What was said before a restatement. Written with it: two restatements between two copies leave both here.
CREATE TABLE ad_delivery_history (
  LIKE ad_delivery,
  replaced_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, entity_id, day, revision),
  FOREIGN KEY (profile_id) REFERENCES profiles ON DELETE CASCADE
);
ALTER TABLE ad_delivery_history ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON ad_delivery_history TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON ad_delivery_history TO tributary_app;

-- What the columns do not show yet: the latest revision, and of delivery the one that they show (0: none), for what lies between.
-- A worker takes a row off only if its revision is the one that was copied.
CREATE TABLE dirty_entities (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  entity_id uuid NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (profile_id, entity_id)
);
ALTER TABLE dirty_entities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON dirty_entities TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON dirty_entities TO tributary_app;

CREATE TABLE dirty_delivery (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  entity_id uuid NOT NULL,
  day date NOT NULL,
  revision bigint NOT NULL,
  shown_revision bigint NOT NULL,
  PRIMARY KEY (profile_id, entity_id, day)
);
ALTER TABLE dirty_delivery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON dirty_delivery TO tributary_app USING (profile_id = current_profile());
GRANT SELECT, INSERT, UPDATE, DELETE ON dirty_delivery TO tributary_app;

-- The profiles that have something to copy, so that a worker finds them without seeing anything of theirs. A profile is one
-- worker's at a time; that saves work and nothing else, because a revision means the same whoever copies it.
CREATE SEQUENCE delivery_mark;
GRANT USAGE ON SEQUENCE delivery_mark TO tributary_app;
CREATE TABLE delivery_copies (
  profile_id uuid PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
  -- New with every write, so that a worker who found nothing left does not wipe out what came meanwhile.
  mark bigint NOT NULL DEFAULT nextval('delivery_mark'),
  is_due boolean NOT NULL DEFAULT true,
  taken_until timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE INDEX delivery_copies_due ON delivery_copies (taken_until) WHERE is_due;
ALTER TABLE delivery_copies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_profile ON delivery_copies TO tributary_app USING (profile_id = current_profile());
CREATE POLICY queue ON delivery_copies TO tributary_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON delivery_copies TO tributary_app;
GRANT SELECT, UPDATE ON delivery_copies TO tributary_system;
