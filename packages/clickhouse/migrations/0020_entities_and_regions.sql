-- What reports showed of an entity before: of which campaign and ad set it was, since the one before it was replaced.
CREATE TABLE IF NOT EXISTS {{local ad_entities_history}} AS {{local ad_entities}}
ENGINE = {{engine ReplacingMergeTree}}
ORDER BY (profile_id, entity_id, version)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {{local ad_entities_history}} ADD COLUMN IF NOT EXISTS replaced_at DateTime64(3, 'UTC') CODEC(ZSTD(1));
ALTER TABLE {{local ad_entities_history}} MODIFY TTL toDateTime(replaced_at) + INTERVAL 730 DAY;

{{distributed ad_entities_history by cityHash64(profile_id)}};

-- Where a visit was, a step finer than the country: ISO 3166-2. Empty: not known.
ALTER TABLE {{every visits}} ADD COLUMN IF NOT EXISTS region LowCardinality(String);
