CREATE TABLE ad_delivery_daily
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `level` LowCardinality(String),
    `day` Date CODEC(Delta(2), ZSTD(1)),
    `entity_id` UUID CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `recorded_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `platform` LowCardinality(String),
    `currency` LowCardinality(String),
    `spend` Decimal(76, 20) CODEC(ZSTD(1)),
    `impressions` UInt64 CODEC(ZSTD(1)),
    `clicks` UInt64 CODEC(ZSTD(1)),
    `reach` Nullable(UInt64) CODEC(ZSTD(1)),
    `platform_conversions` Nullable(Decimal(76, 20)) CODEC(ZSTD(1)),
    `platform_value` Nullable(Decimal(76, 20)) CODEC(ZSTD(1)),
    `video_views_3s` Nullable(UInt64) CODEC(ZSTD(1)),
    `video_completions` Nullable(UInt64) CODEC(ZSTD(1)),
    `messaging_conversations_started` Nullable(UInt64) CODEC(ZSTD(1)),
    `messaging_first_replies` Nullable(UInt64) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYear(day)
ORDER BY (profile_id, level, day, entity_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE ad_delivery_history
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `level` LowCardinality(String),
    `day` Date CODEC(Delta(2), ZSTD(1)),
    `entity_id` UUID CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `recorded_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `platform` LowCardinality(String),
    `currency` LowCardinality(String),
    `spend` Decimal(76, 20) CODEC(ZSTD(1)),
    `impressions` UInt64 CODEC(ZSTD(1)),
    `clicks` UInt64 CODEC(ZSTD(1)),
    `reach` Nullable(UInt64) CODEC(ZSTD(1)),
    `platform_conversions` Nullable(Decimal(76, 20)) CODEC(ZSTD(1)),
    `platform_value` Nullable(Decimal(76, 20)) CODEC(ZSTD(1)),
    `video_views_3s` Nullable(UInt64) CODEC(ZSTD(1)),
    `video_completions` Nullable(UInt64) CODEC(ZSTD(1)),
    `messaging_conversations_started` Nullable(UInt64) CODEC(ZSTD(1)),
    `messaging_first_replies` Nullable(UInt64) CODEC(ZSTD(1)),
    `replaced_at` DateTime64(3, 'UTC') CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYear(day)
ORDER BY (profile_id, level, day, entity_id, version)
TTL toDateTime(replaced_at) + toIntervalDay(730)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE ad_entities
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `entity_id` UUID CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `platform` LowCardinality(String),
    `level` LowCardinality(String),
    `external_id` String CODEC(ZSTD(1)),
    `name` String CODEC(ZSTD(1)),
    `status` LowCardinality(String),
    `objective` LowCardinality(String),
    `format` LowCardinality(String),
    `currency` LowCardinality(String),
    `campaign_id` UUID CODEC(ZSTD(1)),
    `ad_set_id` UUID CODEC(ZSTD(1)),
    `daily_budget` Nullable(Decimal(76, 20)) CODEC(ZSTD(1)),
    `learning_stage_status` LowCardinality(String),
    `applied_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `connection_id` UUID CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (profile_id, entity_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE ad_entities_history
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `entity_id` UUID CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `platform` LowCardinality(String),
    `level` LowCardinality(String),
    `external_id` String CODEC(ZSTD(1)),
    `name` String CODEC(ZSTD(1)),
    `status` LowCardinality(String),
    `objective` LowCardinality(String),
    `format` LowCardinality(String),
    `currency` LowCardinality(String),
    `campaign_id` UUID CODEC(ZSTD(1)),
    `ad_set_id` UUID CODEC(ZSTD(1)),
    `daily_budget` Nullable(Decimal(76, 20)) CODEC(ZSTD(1)),
    `learning_stage_status` LowCardinality(String),
    `applied_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `connection_id` UUID CODEC(ZSTD(1)),
    `replaced_at` DateTime64(3, 'UTC') CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (profile_id, entity_id, version)
TTL toDateTime(replaced_at) + toIntervalDay(730)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE ad_scores
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `score_window` LowCardinality(String),
    `ad_id` UUID CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `objective` LowCardinality(String),
    `format` LowCardinality(String),
    `has_video` Bool,
    `composite_score` Nullable(Float64) CODEC(ZSTD(1)),
    `likelihood` Float64 CODEC(ZSTD(1)),
    `maturity_stage` LowCardinality(String),
    `truth_grade` LowCardinality(String),
    `outcome_kind` LowCardinality(String),
    `cohort_key` String CODEC(ZSTD(1)),
    `cohort_objective` LowCardinality(String),
    `cohort_format` LowCardinality(String),
    `cohort_warmth` LowCardinality(String),
    `cohort_size` UInt32 CODEC(ZSTD(1)),
    `reason_codes` String CODEC(ZSTD(1)),
    `engagement` Nullable(Float64) CODEC(ZSTD(1)),
    `spend` Decimal(38, 4) CODEC(ZSTD(1)),
    `impressions` UInt64 CODEC(ZSTD(1)),
    `clicks` UInt64 CODEC(ZSTD(1)),
    `outcomes` UInt64 CODEC(ZSTD(1)),
    `cash_outcomes` UInt64 CODEC(ZSTD(1)),
    `revenue` Decimal(38, 4) CODEC(ZSTD(1)),
    `pipeline_outcomes` UInt64 CODEC(ZSTD(1)),
    `pipeline_value` Decimal(38, 4) CODEC(ZSTD(1)),
    `platform_conversions` Nullable(Decimal(38, 4)) CODEC(ZSTD(1)),
    `platform_value` Nullable(Decimal(38, 4)) CODEC(ZSTD(1)),
    `conversations` Nullable(UInt64) CODEC(ZSTD(1)),
    `first_replies` Nullable(UInt64) CODEC(ZSTD(1)),
    `written_at` DateTime DEFAULT now() CODEC(ZSTD(1)),
    `traits_key` String DEFAULT '' CODEC(ZSTD(1)),
    `video_views` Nullable(UInt64) CODEC(ZSTD(1)),
    `messaging_outcomes` UInt64 DEFAULT 0 CODEC(ZSTD(1)),
    `outcomes_of_best_day` UInt64 DEFAULT 0 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (profile_id, score_window, ad_id)
TTL written_at + toIntervalDay(60)
SETTINGS index_granularity = 8192;

CREATE TABLE attributed_conversions
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `conversion_time` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `conversion_id` UUID CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `is_deleted` UInt8,
    `person_id` UUID CODEC(ZSTD(1)),
    `is_anonymous` Bool,
    `definition_id` UUID CODEC(ZSTD(1)),
    `conversion_type` LowCardinality(String),
    `revenue_type` LowCardinality(String),
    `value` Int64 CODEC(ZSTD(1)),
    `has_value` Bool,
    `currency` LowCardinality(String),
    `is_first_payment` Bool,
    `purchase_id` UUID CODEC(ZSTD(1)),
    `lookback_days` UInt16,
    `touch_count` UInt32 CODEC(ZSTD(1)),
    `country` LowCardinality(String),
    `device` LowCardinality(String),
    `touch_ids` Array(UUID) CODEC(ZSTD(1)),
    `touch_times` Array(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    `source_ids` Array(UInt64) CODEC(ZSTD(1)),
    `last_non_direct` UInt16,
    `linear` Array(Int64) CODEC(ZSTD(1)),
    `time_decay` Array(Int64) CODEC(ZSTD(1)),
    `position_based` Array(Int64) CODEC(ZSTD(1)),
    `content_hash` UInt64 CODEC(ZSTD(1)),
    `cause` LowCardinality(String),
    `further_shares` Map(LowCardinality(String), Array(Int64)) CODEC(ZSTD(1)),
    `further_model_versions` Map(LowCardinality(String), UInt32) CODEC(ZSTD(1)),
    `applied_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `cause_ref` UUID CODEC(ZSTD(1)),
    `replaced_ref` UUID CODEC(ZSTD(1)),
    `first_source` UInt64 MATERIALIZED source_ids[1] CODEC(ZSTD(1)),
    `last_source` UInt64 MATERIALIZED source_ids[-1] CODEC(ZSTD(1)),
    `last_non_direct_source` UInt64 MATERIALIZED source_ids[last_non_direct] CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY toStartOfQuarter(conversion_time)
ORDER BY (profile_id, conversion_time, conversion_id)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE attribution_conversions
(
    `batch_id` UUID,
    `profile_id` UUID,
    `bucket` UInt16 DEFAULT toUInt16(cityHash64(person_id)),
    `conversion_id` UUID,
    `conversion_time` DateTime64(3, 'UTC'),
    `person_id` UUID,
    `is_anonymous` Bool,
    `is_eligible` Bool,
    `definition_id` UUID,
    `conversion_type` LowCardinality(String),
    `revenue_type` LowCardinality(String),
    `value` Int64,
    `has_value` Bool,
    `currency` LowCardinality(String),
    `is_first_payment` Bool,
    `purchase_id` UUID,
    `lookback_days` UInt16,
    `cause` LowCardinality(String),
    `staged_at` DateTime DEFAULT now(),
    `cause_ref` UUID
)
ENGINE = MergeTree
PARTITION BY batch_id
ORDER BY (profile_id, bucket, person_id)
TTL staged_at + toIntervalDay(1)
SETTINGS index_granularity = 8192;

CREATE TABLE attribution_history
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `conversion_time` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `conversion_id` UUID CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `is_deleted` UInt8,
    `person_id` UUID CODEC(ZSTD(1)),
    `is_anonymous` Bool,
    `definition_id` UUID CODEC(ZSTD(1)),
    `conversion_type` LowCardinality(String),
    `revenue_type` LowCardinality(String),
    `value` Int64 CODEC(ZSTD(1)),
    `has_value` Bool,
    `currency` LowCardinality(String),
    `is_first_payment` Bool,
    `purchase_id` UUID CODEC(ZSTD(1)),
    `lookback_days` UInt16,
    `touch_count` UInt32 CODEC(ZSTD(1)),
    `country` LowCardinality(String),
    `device` LowCardinality(String),
    `touch_ids` Array(UUID) CODEC(ZSTD(1)),
    `touch_times` Array(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    `source_ids` Array(UInt64) CODEC(ZSTD(1)),
    `last_non_direct` UInt16,
    `linear` Array(Int64) CODEC(ZSTD(1)),
    `time_decay` Array(Int64) CODEC(ZSTD(1)),
    `position_based` Array(Int64) CODEC(ZSTD(1)),
    `content_hash` UInt64 CODEC(ZSTD(1)),
    `cause` LowCardinality(String),
    `further_shares` Map(LowCardinality(String), Array(Int64)) CODEC(ZSTD(1)),
    `further_model_versions` Map(LowCardinality(String), UInt32) CODEC(ZSTD(1)),
    `applied_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `cause_ref` UUID CODEC(ZSTD(1)),
    `replaced_ref` UUID CODEC(ZSTD(1)),
    `replaced_by` UInt64,
    `replaced_cause` LowCardinality(String),
    `replaced_at` DateTime64(3, 'UTC') DEFAULT now64(3) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toStartOfQuarter(conversion_time)
ORDER BY (profile_id, conversion_id, version)
TTL toDateTime(replaced_at) + toIntervalDay(730)
SETTINGS index_granularity = 8192;

CREATE TABLE attribution_links
(
    `batch_id` UUID,
    `profile_id` UUID,
    `bucket` UInt16 DEFAULT toUInt16(cityHash64(person_id)),
    `visitor_id` UUID,
    `person_id` UUID,
    `staged_at` DateTime DEFAULT now()
)
ENGINE = MergeTree
PARTITION BY batch_id
ORDER BY (profile_id, bucket, visitor_id)
TTL staged_at + toIntervalDay(1)
SETTINGS index_granularity = 8192;

CREATE TABLE attribution_results
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `conversion_time` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `conversion_id` UUID CODEC(ZSTD(1)),
    `version` UInt64 CODEC(ZSTD(1)),
    `is_deleted` UInt8,
    `person_id` UUID CODEC(ZSTD(1)),
    `is_anonymous` Bool,
    `definition_id` UUID CODEC(ZSTD(1)),
    `conversion_type` LowCardinality(String),
    `revenue_type` LowCardinality(String),
    `value` Int64 CODEC(ZSTD(1)),
    `has_value` Bool,
    `currency` LowCardinality(String),
    `is_first_payment` Bool,
    `purchase_id` UUID CODEC(ZSTD(1)),
    `lookback_days` UInt16,
    `touch_count` UInt32 CODEC(ZSTD(1)),
    `country` LowCardinality(String),
    `device` LowCardinality(String),
    `touch_ids` Array(UUID) CODEC(ZSTD(1)),
    `touch_times` Array(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    `source_ids` Array(UInt64) CODEC(ZSTD(1)),
    `last_non_direct` UInt16,
    `linear` Array(Int64) CODEC(ZSTD(1)),
    `time_decay` Array(Int64) CODEC(ZSTD(1)),
    `position_based` Array(Int64) CODEC(ZSTD(1)),
    `content_hash` UInt64 CODEC(ZSTD(1)),
    `cause` LowCardinality(String),
    `further_shares` Map(LowCardinality(String), Array(Int64)) CODEC(ZSTD(1)),
    `further_model_versions` Map(LowCardinality(String), UInt32) CODEC(ZSTD(1)),
    `applied_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `cause_ref` UUID CODEC(ZSTD(1)),
    `replaced_ref` UUID CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY version
ORDER BY (profile_id, conversion_time, conversion_id)
SETTINGS index_granularity = 8192;

CREATE TABLE attribution_touches
(
    `batch_id` UUID,
    `profile_id` UUID,
    `bucket` UInt16 DEFAULT toUInt16(cityHash64(person_id)),
    `person_id` UUID,
    `touch_id` UUID,
    `occurred_at` DateTime64(3, 'UTC'),
    `channel` LowCardinality(String),
    `source` LowCardinality(String),
    `medium` LowCardinality(String),
    `platform` LowCardinality(String),
    `campaign_id` UUID,
    `ad_set_id` UUID,
    `ad_id` UUID,
    `click_id_kind` LowCardinality(String),
    `click_mark` UInt64,
    `source_id` UInt64 DEFAULT bitOr(bitAnd(cityHash64(channel, source, medium, platform, campaign_id, ad_set_id, ad_id), 18446744073709551614), channel = 'direct'),
    `staged_at` DateTime DEFAULT now(),
    `ad_external_id` String
)
ENGINE = MergeTree
PARTITION BY batch_id
ORDER BY (profile_id, bucket, person_id)
TTL staged_at + toIntervalDay(1)
SETTINGS index_granularity = 8192;

CREATE TABLE clicked_entities
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `entity_id` UUID CODEC(ZSTD(1)),
    `platform` LowCardinality(String),
    `level` LowCardinality(String),
    `external_id` String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (profile_id, entity_id)
SETTINGS index_granularity = 8192;

CREATE MATERIALIZED VIEW clicked_entities_of_attribution TO clicked_entities
(
    `profile_id` UUID,
    `entity_id` UUID,
    `platform` LowCardinality(String),
    `level` String,
    `external_id` String
)
AS SELECT DISTINCT
    profile_id,
    ad_id AS entity_id,
    platform,
    'ad' AS level,
    ad_external_id AS external_id
FROM attribution_touches
WHERE ad_external_id != '';

CREATE MATERIALIZED VIEW clicked_entities_of_visits TO clicked_entities
(
    `profile_id` UUID,
    `entity_id` UUID,
    `platform` LowCardinality(String),
    `level` String,
    `external_id` String
)
AS WITH
    SHA1(concat(UUIDStringToNum(toString(profile_id)), '["', platform, '","', level, '","', external_id, '"]')) AS digest,
    lower(hex(digest)) AS digits
SELECT DISTINCT
    profile_id,
    toUUID(concat(substring(digits, 1, 8), '-', substring(digits, 9, 4), '-5', substring(digits, 14, 3), '-', substring('89ab', bitAnd(bitShiftRight(reinterpretAsUInt8(substring(digest, 9, 1)), 4), 3) + 1, 1), substring(digits, 18, 3), '-', substring(digits, 21, 12))) AS entity_id,
    platform,
    named.1 AS level,
    named.2 AS external_id
FROM visits
ARRAY JOIN [('campaign', campaign_external_id), ('ad_set', ad_set_external_id), ('ad', ad_external_id)] AS named
WHERE (external_id != '') AND (platform != '');

CREATE TABLE model_credits
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `fit_id` UUID CODEC(ZSTD(1)),
    `conversion_time` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `conversion_id` UUID CODEC(ZSTD(1)),
    `part` UInt8,
    `value` Int64 CODEC(ZSTD(1)),
    `source_ids` Array(UInt64) CODEC(ZSTD(1)),
    `credits` Map(LowCardinality(String), Array(Int64)) CODEC(ZSTD(1)),
    `anyway` Map(LowCardinality(String), Int64) CODEC(ZSTD(1)),
    `written_at` DateTime DEFAULT now()
)
ENGINE = ReplacingMergeTree
PARTITION BY toStartOfMonth(written_at)
ORDER BY (profile_id, fit_id, conversion_time, conversion_id)
TTL written_at + toIntervalDay(35)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE schema_migrations
(
    `name` String,
    `checksum` String,
    `applied_at` DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY name
SETTINGS index_granularity = 8192;

CREATE TABLE touch_sources
(
    `profile_id` UUID,
    `source_id` UInt64,
    `channel` LowCardinality(String),
    `source` LowCardinality(String),
    `medium` LowCardinality(String),
    `platform` LowCardinality(String),
    `campaign_id` UUID,
    `ad_set_id` UUID,
    `ad_id` UUID
)
ENGINE = ReplacingMergeTree
ORDER BY (profile_id, source_id)
SETTINGS index_granularity = 8192;

CREATE MATERIALIZED VIEW touch_sources_of_attribution TO touch_sources
(
    `profile_id` UUID,
    `source_id` UInt64,
    `channel` LowCardinality(String),
    `source` LowCardinality(String),
    `medium` LowCardinality(String),
    `platform` LowCardinality(String),
    `campaign_id` UUID,
    `ad_set_id` UUID,
    `ad_id` UUID
)
AS SELECT DISTINCT
    profile_id,
    source_id,
    channel,
    source,
    medium,
    platform,
    campaign_id,
    ad_set_id,
    ad_id
FROM attribution_touches;

CREATE MATERIALIZED VIEW touch_sources_of_touches TO touch_sources
(
    `profile_id` UUID,
    `source_id` UInt64,
    `channel` LowCardinality(String),
    `source` LowCardinality(String),
    `medium` LowCardinality(String),
    `platform` LowCardinality(String),
    `campaign_id` UUID,
    `ad_set_id` UUID,
    `ad_id` UUID
)
AS SELECT DISTINCT
    profile_id,
    source_id,
    channel,
    source,
    medium,
    platform,
    campaign_id,
    ad_set_id,
    ad_id
FROM touches;

CREATE TABLE touches
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `visitor_id` UUID CODEC(ZSTD(1)),
    `occurred_at` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `touch_id` UUID CODEC(ZSTD(1)),
    `kind` LowCardinality(String) DEFAULT 'visit',
    `session_id` UUID CODEC(ZSTD(1)),
    `channel` LowCardinality(String) DEFAULT 'unknown',
    `source` LowCardinality(String) DEFAULT 'unknown',
    `medium` LowCardinality(String),
    `platform` LowCardinality(String),
    `campaign_id` UUID CODEC(ZSTD(1)),
    `ad_set_id` UUID CODEC(ZSTD(1)),
    `ad_id` UUID CODEC(ZSTD(1)),
    `click_id_kind` LowCardinality(String),
    `join_method` LowCardinality(String),
    `country` LowCardinality(String) DEFAULT 'ZZ',
    `device` LowCardinality(String) DEFAULT 'unknown',
    `source_id` UInt64 DEFAULT bitOr(bitAnd(cityHash64(channel, source, medium, platform, campaign_id, ad_set_id, ad_id), 18446744073709551614), channel = 'direct') CODEC(ZSTD(1)),
    `click_mark` UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toStartOfQuarter(occurred_at)
ORDER BY (profile_id, visitor_id, occurred_at, touch_id)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE visits
(
    `profile_id` UUID CODEC(ZSTD(1)),
    `visitor_id` UUID CODEC(ZSTD(1)),
    `visit_id` UUID CODEC(ZSTD(1)),
    `occurred_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `received_at` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `channel` LowCardinality(String) DEFAULT 'unknown',
    `platform` LowCardinality(String),
    `campaign_external_id` String CODEC(ZSTD(1)),
    `ad_set_external_id` String CODEC(ZSTD(1)),
    `ad_external_id` String CODEC(ZSTD(1)),
    `country` LowCardinality(String) DEFAULT 'ZZ',
    `session_id` UUID CODEC(ZSTD(1)),
    `is_session_start` Bool,
    `is_bot` Bool,
    `event_type` LowCardinality(String),
    `event_name` LowCardinality(String),
    `source` LowCardinality(String) DEFAULT 'unknown',
    `medium` LowCardinality(String),
    `click_id_kind` LowCardinality(String),
    `utm_source` LowCardinality(String),
    `utm_medium` LowCardinality(String),
    `utm_campaign` String CODEC(ZSTD(1)),
    `utm_term` String CODEC(ZSTD(1)),
    `utm_content` String CODEC(ZSTD(1)),
    `utm_id` String CODEC(ZSTD(1)),
    `url` String CODEC(ZSTD(1)),
    `path` String CODEC(ZSTD(1)),
    `referrer` String CODEC(ZSTD(1)),
    `referrer_host` LowCardinality(String),
    `device` LowCardinality(String) DEFAULT 'unknown',
    `browser` LowCardinality(String),
    `os` LowCardinality(String),
    `city` LowCardinality(String),
    `region` LowCardinality(String)
)
ENGINE = ReplacingMergeTree
PARTITION BY toStartOfQuarter(occurred_at)
ORDER BY (profile_id, visitor_id, visit_id)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
