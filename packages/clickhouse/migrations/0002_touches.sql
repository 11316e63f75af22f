-- The visits that count for attribution, and what else brought somebody: an ad referral, a declared source, a synthetic touch.
-- A touch is decided from its visit alone, so it has the visit's key and time, and the same visit gives the same touch in
-- whatever order visits came. Bots have none.
--
-- It is narrow, because a replay reads all of it, and lies by visitor and time, which is how a path is read. Entities are named
-- by ids made from profile, platform, level and platform id: a touch knows its ad before the ad's parents are known.
--
-- Time is part of the key: it is the visit's own, so copies agree in it. An erasure keeps every column but the session, and the
-- visitor's id stays that of nobody.
CREATE TABLE IF NOT EXISTS {{local touches}}
(
    profile_id UUID CODEC(ZSTD(1)),
    visitor_id UUID CODEC(ZSTD(1)),
    occurred_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    touch_id UUID CODEC(ZSTD(1)),                       -- the visit's id, or one made from whoever told of it
    kind LowCardinality(String) DEFAULT 'visit',        -- visit, ad_referral, declared_source, synthetic
    session_id UUID CODEC(ZSTD(1)),
    channel LowCardinality(String) DEFAULT 'unknown',
    source LowCardinality(String) DEFAULT 'unknown',
    medium LowCardinality(String),
    platform LowCardinality(String),
    campaign_id UUID CODEC(ZSTD(1)),                    -- zero: not known from the touch
    ad_set_id UUID CODEC(ZSTD(1)),
    ad_id UUID CODEC(ZSTD(1)),
    click_id_kind LowCardinality(String),
    join_method LowCardinality(String),                 -- how the entity is known: url_parameters, ad_referral, declared; empty: it is not
    country LowCardinality(String) DEFAULT 'ZZ',
    device LowCardinality(String) DEFAULT 'unknown',
    -- All that says what brought somebody, in one number; its last bit says that nothing did (direct). Attribution carries this
    -- number alone, and reports look up in touch_sources what it stands for.
    source_id UInt64 DEFAULT bitOr(bitAnd(cityHash64(channel, source, medium, platform, campaign_id, ad_set_id, ad_id), 18446744073709551614), channel = 'direct') CODEC(ZSTD(1))
)
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toStartOfQuarter(occurred_at)
ORDER BY (profile_id, visitor_id, occurred_at, touch_id)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 1000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

{{distributed touches by cityHash64(profile_id)}};

-- What source ids stand for: as many rows as there are different sources, whatever the number of touches. It follows by itself.
CREATE TABLE IF NOT EXISTS {{local touch_sources}}
(
    profile_id UUID,
    source_id UInt64,
    channel LowCardinality(String),
    source LowCardinality(String),
    medium LowCardinality(String),
    platform LowCardinality(String),
    campaign_id UUID,
    ad_set_id UUID,
    ad_id UUID
)
ENGINE = {{engine ReplacingMergeTree}}
ORDER BY (profile_id, source_id);

{{distributed touch_sources by cityHash64(profile_id)}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{local touch_sources_of_touches}} TO {{local touch_sources}} AS
SELECT DISTINCT profile_id, source_id, channel, source, medium, platform, campaign_id, ad_set_id, ad_id FROM {{local touches}};
