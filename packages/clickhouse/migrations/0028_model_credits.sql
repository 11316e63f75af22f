-- What fitted models give the touches of a purchase, and what would have come anyway: credits and `anyway` add up to the value. A fit writes all of its rows
-- and nothing changes them; the next fit has rows of its own. No person is named: `part` says in which fiftieth of the people the buyer is, which is enough
-- to tell how far chance could move a sum.
CREATE TABLE IF NOT EXISTS {{local model_credits}}
(
    profile_id UUID CODEC(ZSTD(1)),
    fit_id UUID CODEC(ZSTD(1)),
    conversion_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    conversion_id UUID CODEC(ZSTD(1)),
    part UInt8,
    value Int64 CODEC(ZSTD(1)),
    source_ids Array(UInt64) CODEC(ZSTD(1)),
    credits Map(LowCardinality(String), Array(Int64)) CODEC(ZSTD(1)),
    anyway Map(LowCardinality(String), Int64) CODEC(ZSTD(1)),
    written_at DateTime DEFAULT now()
)
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toStartOfMonth(written_at)
ORDER BY (profile_id, fit_id, conversion_time, conversion_id)
TTL written_at + INTERVAL 35 DAY
SETTINGS non_replicated_deduplication_window = 1000;

{{distributed model_credits by cityHash64(profile_id)}};
