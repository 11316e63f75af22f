-- The connection that reported an entity: changes of it go through this account. Null: a file or the API reported it, or several accounts could have.
ALTER TABLE ad_entities ADD COLUMN connection_id uuid;

-- By name: the history does not store the connection, and its columns are in another order.
CREATE OR REPLACE FUNCTION keep_entity() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO ad_entities_history (profile_id, id, platform, level, external_id, parent_id, name, status, objective, format, currency,
    daily_budget, creative, first_seen, last_seen, revision, learning_stage_status, replaced_at)
  VALUES (OLD.profile_id, OLD.id, OLD.platform, OLD.level, OLD.external_id, OLD.parent_id, OLD.name, OLD.status, OLD.objective, OLD.format,
    OLD.currency, OLD.daily_budget, OLD.creative, OLD.first_seen, OLD.last_seen, OLD.revision, OLD.learning_stage_status, clock_timestamp())
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Entities of before: of a platform with one account, that account reported them. Of several accounts the currency decides where only one
-- account has it, because platforms never change the currency of an account. The next sync fills in the rest.
CREATE POLICY backfill ON ad_entities TO tributary_owner USING (true);
CREATE POLICY backfill ON ad_entities_history TO tributary_owner USING (true);
CREATE POLICY backfill ON dirty_entities TO tributary_owner USING (true);
CREATE POLICY backfill ON connections TO tributary_owner USING (true);
WITH accounts AS (
  SELECT DISTINCT ON (profile_id, channel, external_id) profile_id, channel, id, details ->> 'currency' AS currency
  FROM connections ORDER BY profile_id, channel, external_id, (status = 'disconnected'), id DESC
), counted AS (
  SELECT *, count(*) OVER (PARTITION BY profile_id, channel) AS of_channel,
    count(*) OVER (PARTITION BY profile_id, channel, currency) AS of_currency FROM accounts
), reported AS (
  UPDATE ad_entities e SET connection_id = a.id, revision = e.revision + 1
  FROM counted a
  WHERE a.profile_id = e.profile_id AND a.channel = e.platform
    AND (a.of_channel = 1 OR (a.of_currency = 1 AND a.currency = e.currency))
  RETURNING e.profile_id, e.id, e.revision
)
INSERT INTO dirty_entities (profile_id, entity_id, revision) SELECT profile_id, id, revision FROM reported
ON CONFLICT (profile_id, entity_id) DO UPDATE SET revision = excluded.revision;
DROP POLICY backfill ON ad_entities;
DROP POLICY backfill ON ad_entities_history;
DROP POLICY backfill ON dirty_entities;
DROP POLICY backfill ON connections;
