-- What attribution models that came after the six give each touch of a path, by the model's name: a further model needs no column of
-- its own. Beside it, for models that are fitted to a profile's data, the version of the fit. The six stay where they are.
--
-- All three tables have the columns in one order, because results, rows and history are copied as they stand.
ALTER TABLE {{every attributed_conversions}} ADD COLUMN IF NOT EXISTS further_shares Map(LowCardinality(String), Array(Int64)) CODEC(ZSTD(1)) AFTER cause;
ALTER TABLE {{every attributed_conversions}} ADD COLUMN IF NOT EXISTS further_model_versions Map(LowCardinality(String), UInt32) CODEC(ZSTD(1)) AFTER further_shares;
ALTER TABLE {{every attribution_results}} ADD COLUMN IF NOT EXISTS further_shares Map(LowCardinality(String), Array(Int64)) CODEC(ZSTD(1)) AFTER cause;
ALTER TABLE {{every attribution_results}} ADD COLUMN IF NOT EXISTS further_model_versions Map(LowCardinality(String), UInt32) CODEC(ZSTD(1)) AFTER further_shares;
ALTER TABLE {{every attribution_history}} ADD COLUMN IF NOT EXISTS further_shares Map(LowCardinality(String), Array(Int64)) CODEC(ZSTD(1)) AFTER cause;
ALTER TABLE {{every attribution_history}} ADD COLUMN IF NOT EXISTS further_model_versions Map(LowCardinality(String), UInt32) CODEC(ZSTD(1)) AFTER further_shares;
