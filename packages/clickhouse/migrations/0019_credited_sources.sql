-- The source that each model of one credit credits, as a column of its own: a report reads eight bytes a conversion in place of its
-- whole path. The engine derives them, so nobody who writes a row can say something else.
ALTER TABLE {{every attributed_conversions}} ADD COLUMN IF NOT EXISTS first_source UInt64 MATERIALIZED source_ids[1] CODEC(ZSTD(1));
ALTER TABLE {{every attributed_conversions}} ADD COLUMN IF NOT EXISTS last_source UInt64 MATERIALIZED source_ids[-1] CODEC(ZSTD(1));
ALTER TABLE {{every attributed_conversions}} ADD COLUMN IF NOT EXISTS last_non_direct_source UInt64 MATERIALIZED source_ids[last_non_direct] CODEC(ZSTD(1));
