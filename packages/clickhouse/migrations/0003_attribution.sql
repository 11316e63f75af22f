-- What attribution reads and writes. All of it can be made again from touches and the ledger.

-- What a batch needs of the ledger, as one snapshot of it says: the conversions to work out, and whose browsers are whose. A batch
-- is a partition, so that it can be dropped at once when it is done.
CREATE TABLE IF NOT EXISTS {{local attribution_conversions}}
(
    batch_id UUID,
    profile_id UUID,
    bucket UInt16,                                      -- conversions of one person are in one bucket
    conversion_id UUID,
    conversion_time DateTime64(3, 'UTC'),
    person_id UUID,                                     -- the customer, or the browser that nobody is known of
    is_anonymous Bool,
    is_eligible Bool,                                   -- no: what is there of it is to go
    definition_id UUID,
    conversion_type LowCardinality(String),
    revenue_type LowCardinality(String),
    value Int64,                                        -- minor units of the reporting currency
    has_value Bool,                                     -- no: there is money, but no rate to convert it by
    currency LowCardinality(String),
    is_first_payment Bool,
    purchase_id UUID,
    lookback_days UInt16,
    cause LowCardinality(String),
    staged_at DateTime DEFAULT now()
)
ENGINE = {{engine MergeTree}}
PARTITION BY batch_id
ORDER BY (profile_id, bucket, person_id)
-- For batches whose worker died.
TTL staged_at + INTERVAL 1 DAY;

{{distributed attribution_conversions by cityHash64(profile_id)}};

CREATE TABLE IF NOT EXISTS {{local attribution_links}}
(
    batch_id UUID,
    profile_id UUID,
    bucket UInt16,
    visitor_id UUID,
    person_id UUID,
    staged_at DateTime DEFAULT now()
)
ENGINE = {{engine MergeTree}}
PARTITION BY batch_id
ORDER BY (profile_id, bucket, visitor_id)
TTL staged_at + INTERVAL 1 DAY;

{{distributed attribution_links by cityHash64(profile_id)}};

-- One row a conversion: its path, and what each touch of the path earned. Reports read it, and nothing else, for outcomes.
--
-- The first and the last touch and the last that was not direct earn all or nothing, so a place in the path says it all; the
-- other three models have a credit a touch, in minor units that add up to the value.
--
-- Time comes first after the profile, because reports ask for a stretch of time. A conversion whose time changed leaves a
-- tombstone at the old one. The version is taken from the ledger before its snapshot: what was worked out later wins.
CREATE TABLE IF NOT EXISTS {{local attributed_conversions}}
(
    profile_id UUID CODEC(ZSTD(1)),
    conversion_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    conversion_id UUID CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1)),
    is_deleted UInt8,

    person_id UUID CODEC(ZSTD(1)),
    is_anonymous Bool,
    definition_id UUID CODEC(ZSTD(1)),
    conversion_type LowCardinality(String),
    revenue_type LowCardinality(String),
    value Int64 CODEC(ZSTD(1)),
    has_value Bool,
    currency LowCardinality(String),
    is_first_payment Bool,
    purchase_id UUID CODEC(ZSTD(1)),
    lookback_days UInt16,

    touch_count UInt32 CODEC(ZSTD(1)),                  -- of the window, also where the path holds fewer
    country LowCardinality(String),                     -- of the last touch
    device LowCardinality(String),
    touch_ids Array(UUID) CODEC(ZSTD(1)),
    touch_times Array(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    source_ids Array(UInt64) CODEC(ZSTD(1)),             -- touch_sources says what each stands for
    last_non_direct UInt16,                             -- its place in the path, from 1; 0: the path is empty
    linear Array(Int64) CODEC(ZSTD(1)),
    time_decay Array(Int64) CODEC(ZSTD(1)),
    position_based Array(Int64) CODEC(ZSTD(1)),

    content_hash UInt64 CODEC(ZSTD(1)),                 -- of all but version and cause
    cause LowCardinality(String)
)
ENGINE = {{engine ReplacingMergeTree(version, is_deleted)}}
PARTITION BY toStartOfQuarter(conversion_time)
ORDER BY (profile_id, conversion_time, conversion_id)
SETTINGS non_replicated_deduplication_window = 1000;

{{distributed attributed_conversions by cityHash64(profile_id)}};

-- What a batch found to be different, on its way into the table above.
CREATE TABLE IF NOT EXISTS {{local attribution_results}} AS {{local attributed_conversions}}
ENGINE = {{engine MergeTree}}
PARTITION BY version
ORDER BY (profile_id, conversion_time, conversion_id);

{{distributed attribution_results by cityHash64(profile_id)}};

-- Earlier versions, each with the version that took its place and why.
CREATE TABLE IF NOT EXISTS {{local attribution_history}} AS {{local attributed_conversions}}
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toStartOfQuarter(conversion_time)
ORDER BY (profile_id, conversion_id, version);
ALTER TABLE {{local attribution_history}} ADD COLUMN IF NOT EXISTS replaced_by UInt64;
ALTER TABLE {{local attribution_history}} ADD COLUMN IF NOT EXISTS replaced_cause LowCardinality(String);

{{distributed attribution_history by cityHash64(profile_id)}};
