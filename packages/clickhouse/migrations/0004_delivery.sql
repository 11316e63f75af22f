-- A copy of what ad platforms show and charge for, for reports. The ledger has the original, and the copy can be made again from it.
-- Every version is the ledger's own revision of the row: copied twice, or late, a version changes nothing.

-- Small: a profile has thousands, seldom more. Parents are resolved, so that a report rolls up without walking.
CREATE TABLE IF NOT EXISTS {{local ad_entities}}
(
    profile_id UUID CODEC(ZSTD(1)),
    entity_id UUID CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1)),
    platform LowCardinality(String),
    level LowCardinality(String),
    external_id String CODEC(ZSTD(1)),
    name String CODEC(ZSTD(1)),                         -- empty: nobody has told it yet
    status LowCardinality(String),
    objective LowCardinality(String),
    format LowCardinality(String),
    currency LowCardinality(String),
    campaign_id UUID CODEC(ZSTD(1)),                    -- a campaign's own; zero: not known
    ad_set_id UUID CODEC(ZSTD(1))                       -- an ad set's own; zero: not known, or a campaign
)
ENGINE = {{engine ReplacingMergeTree(version)}}
ORDER BY (profile_id, entity_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

{{distributed ad_entities by cityHash64(profile_id)}};

-- A row for what an entity did on a day. Level and day come first because a report asks for one level and a stretch of days; rows
-- of different levels tell of the same money and are never added up.
--
-- Amounts are in the account's currency with all decimals that the ledger takes (12 digits before the point, 20 after it): spend
-- is converted with the day's rate, which has 20 decimals too, and rounded when it is shown. 76 digits hold that product, and the
-- sum of as many as there may be, exactly.
--
-- By the year: one insert may hold up to a hundred partitions, and a backfill any number of days.
CREATE TABLE IF NOT EXISTS {{local ad_delivery_daily}}
(
    profile_id UUID CODEC(ZSTD(1)),
    level LowCardinality(String),
    day Date CODEC(Delta, ZSTD(1)),
    entity_id UUID CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1)),
    recorded_at DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    platform LowCardinality(String),
    currency LowCardinality(String),
    spend Decimal(76, 20) CODEC(ZSTD(1)),
    impressions UInt64 CODEC(ZSTD(1)),
    clicks UInt64 CODEC(ZSTD(1)),
    reach Nullable(UInt64) CODEC(ZSTD(1)),              -- null here and below: the platform said nothing
    platform_conversions Nullable(Decimal(76, 20)) CODEC(ZSTD(1)),
    platform_value Nullable(Decimal(76, 20)) CODEC(ZSTD(1)),
    video_views_3s Nullable(UInt64) CODEC(ZSTD(1)),
    video_completions Nullable(UInt64) CODEC(ZSTD(1)),
    messaging_conversations_started Nullable(UInt64) CODEC(ZSTD(1)),
    messaging_first_replies Nullable(UInt64) CODEC(ZSTD(1))
)
ENGINE = {{engine ReplacingMergeTree(version)}}
PARTITION BY toYear(day)
ORDER BY (profile_id, level, day, entity_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

{{distributed ad_delivery_daily by cityHash64(profile_id)}};

-- What was said before a restatement, each version once.
CREATE TABLE IF NOT EXISTS {{local ad_delivery_history}} AS {{local ad_delivery_daily}}
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toYear(day)
ORDER BY (profile_id, level, day, entity_id, version)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {{local ad_delivery_history}} ADD COLUMN IF NOT EXISTS replaced_at DateTime64(3, 'UTC') CODEC(ZSTD(1));

{{distributed ad_delivery_history by cityHash64(profile_id)}};
