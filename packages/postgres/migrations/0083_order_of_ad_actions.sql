-- The order in which changes of a campaign, ad set or ad were sent. Times do not tell it: they are of the requests, which may have waited.
ALTER TABLE ad_actions ADD COLUMN turn bigint;
DROP INDEX ad_actions_of_entity;
CREATE INDEX ad_actions_of_entity ON ad_actions (profile_id, platform, level, external_id, turn);
