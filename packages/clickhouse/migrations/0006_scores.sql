-- How each ad does beside its likes, window by window, as the last rebuild found it. It can be made again at any time.
--
-- A rebuild writes all ads of a window in one insert, and with them a row for no ad (a zero id) that says when: what carries
-- another version is of an earlier rebuild, and shown no more. Here rather than in the ledger, because every night replaces all of it.
CREATE TABLE IF NOT EXISTS {{local ad_scores}}
(
    profile_id UUID CODEC(ZSTD(1)),
    score_window LowCardinality(String),                -- 7d, 14d, 28d, lifetime
    ad_id UUID CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1)),                      -- milliseconds since 1970 when the rebuild began
    objective LowCardinality(String),                   -- '' here and below: nobody has said, or it was let go
    format LowCardinality(String),
    has_video Bool,
    composite_score Nullable(Float64) CODEC(ZSTD(1)),   -- null: too few ads to compare with
    likelihood Float64 CODEC(ZSTD(1)),
    maturity_stage LowCardinality(String),
    truth_grade LowCardinality(String),
    outcome_kind LowCardinality(String),
    cohort_key String CODEC(ZSTD(1)),
    cohort_objective LowCardinality(String),
    cohort_format LowCardinality(String),
    cohort_warmth LowCardinality(String),
    cohort_size UInt32 CODEC(ZSTD(1)),
    reason_codes String CODEC(ZSTD(1)),                 -- JSON
    engagement Nullable(Float64) CODEC(ZSTD(1)),
    -- Money in the reporting currency of that night, rounded to its minor unit.
    spend Decimal(38, 4) CODEC(ZSTD(1)),
    impressions UInt64 CODEC(ZSTD(1)),
    clicks UInt64 CODEC(ZSTD(1)),
    outcomes UInt64 CODEC(ZSTD(1)),
    cash_outcomes UInt64 CODEC(ZSTD(1)),
    revenue Decimal(38, 4) CODEC(ZSTD(1)),
    pipeline_outcomes UInt64 CODEC(ZSTD(1)),
    pipeline_value Decimal(38, 4) CODEC(ZSTD(1)),
    platform_conversions Nullable(Decimal(38, 4)) CODEC(ZSTD(1)),   -- null here and below: the platform said nothing
    platform_value Nullable(Decimal(38, 4)) CODEC(ZSTD(1)),
    conversations Nullable(UInt64) CODEC(ZSTD(1)),
    first_replies Nullable(UInt64) CODEC(ZSTD(1)),
    written_at DateTime DEFAULT now() CODEC(ZSTD(1))
)
ENGINE = {{engine ReplacingMergeTree(version)}}
ORDER BY (profile_id, score_window, ad_id)
-- Ads that are scored no more leave by themselves.
TTL written_at + INTERVAL 60 DAY;

{{distributed ad_scores by cityHash64(profile_id)}};
