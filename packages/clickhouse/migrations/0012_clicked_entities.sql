-- What platforms call the campaigns, ad sets and ads that clicks named: a thing that nobody has told of yet is known by its number, and
-- found by it. As many rows as there are such things, whatever the number of visits. It follows by itself.
CREATE TABLE IF NOT EXISTS {{local clicked_entities}}
(
    profile_id UUID CODEC(ZSTD(1)),
    entity_id UUID CODEC(ZSTD(1)),
    platform LowCardinality(String),
    level LowCardinality(String),
    external_id String CODEC(ZSTD(1))
)
ENGINE = {{engine ReplacingMergeTree}}
ORDER BY (profile_id, entity_id);

{{distributed clicked_entities by cityHash64(profile_id)}};

-- The id is that of packages/rules/entity-id.ts: a UUID of version 5 of the platform, the level and the platform's number. A link names
-- things by digits alone (packages/rules/visits/channels.ts), so nothing in that JSON is ever escaped.
CREATE MATERIALIZED VIEW IF NOT EXISTS {{local clicked_entities_of_visits}} TO {{local clicked_entities}} AS
WITH
    SHA1(concat(UUIDStringToNum(toString(profile_id)), '["', platform, '","', level, '","', external_id, '"]')) AS digest,
    lower(hex(digest)) AS digits
SELECT DISTINCT
    profile_id,
    toUUID(concat(
        substring(digits, 1, 8), '-', substring(digits, 9, 4), '-5', substring(digits, 14, 3), '-',
        substring('89ab', bitAnd(bitShiftRight(reinterpretAsUInt8(substring(digest, 9, 1)), 4), 3) + 1, 1), substring(digits, 18, 3), '-',
        substring(digits, 21, 12))) AS entity_id,
    platform,
    named.1 AS level,
    named.2 AS external_id
FROM {{local visits}}
ARRAY JOIN [('campaign', campaign_external_id), ('ad_set', ad_set_external_id), ('ad', ad_external_id)] AS named
WHERE external_id != '' AND platform != '';

INSERT INTO {{local clicked_entities}}
WITH
    SHA1(concat(UUIDStringToNum(toString(profile_id)), '["', platform, '","', level, '","', external_id, '"]')) AS digest,
    lower(hex(digest)) AS digits
SELECT DISTINCT
    profile_id,
    toUUID(concat(
        substring(digits, 1, 8), '-', substring(digits, 9, 4), '-5', substring(digits, 14, 3), '-',
        substring('89ab', bitAnd(bitShiftRight(reinterpretAsUInt8(substring(digest, 9, 1)), 4), 3) + 1, 1), substring(digits, 18, 3), '-',
        substring(digits, 21, 12))) AS entity_id,
    platform,
    named.1 AS level,
    named.2 AS external_id
FROM {{local visits}}
ARRAY JOIN [('campaign', campaign_external_id), ('ad_set', ad_set_external_id), ('ad', ad_external_id)] AS named
WHERE external_id != '' AND platform != '';

-- An outcome names its ad itself; its batch says what the platform calls it.
ALTER TABLE {{every attribution_touches}} ADD COLUMN IF NOT EXISTS ad_external_id String;

CREATE MATERIALIZED VIEW IF NOT EXISTS {{local clicked_entities_of_attribution}} TO {{local clicked_entities}} AS
SELECT DISTINCT profile_id, ad_id AS entity_id, platform, 'ad' AS level, ad_external_id AS external_id
FROM {{local attribution_touches}}
WHERE ad_external_id != '';
