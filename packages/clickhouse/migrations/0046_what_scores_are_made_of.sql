-- What a score is worked out from besides the figures that are shown, so that it can be worked out again: what the ad is like, in all that ads are
-- compared by ('' in rows from before), and the figures of its layers.
ALTER TABLE {{every ad_scores}}
    ADD COLUMN IF NOT EXISTS traits_key String DEFAULT '' CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS video_views Nullable(UInt64) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS messaging_outcomes UInt64 DEFAULT 0 CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS outcomes_of_best_day UInt64 DEFAULT 0 CODEC(ZSTD(1));
