-- When a row began to stand and when another took its place, so that a report can be made as it stood at a moment: rows that stand since
-- before it, and those of the history that were applied by then and replaced later. Both moments are the worker's. Rows of before this
-- have none (1970), which reads as "always".
--
-- cause_ref: the merge, change of a definition or replay that was the cause; zero where the cause is no such thing, or there are several.
-- replaced_ref: the same of what replaced a row. Only the history fills it, but all three tables have the columns in one order, because
-- results, rows and history are copied as they stand.
ALTER TABLE {{every attributed_conversions}}
    ADD COLUMN IF NOT EXISTS applied_at DateTime64(3, 'UTC') CODEC(ZSTD(1)) AFTER further_model_versions,
    ADD COLUMN IF NOT EXISTS cause_ref UUID CODEC(ZSTD(1)) AFTER applied_at,
    ADD COLUMN IF NOT EXISTS replaced_ref UUID CODEC(ZSTD(1)) AFTER cause_ref;
ALTER TABLE {{every attribution_results}}
    ADD COLUMN IF NOT EXISTS applied_at DateTime64(3, 'UTC') CODEC(ZSTD(1)) AFTER further_model_versions,
    ADD COLUMN IF NOT EXISTS cause_ref UUID CODEC(ZSTD(1)) AFTER applied_at,
    ADD COLUMN IF NOT EXISTS replaced_ref UUID CODEC(ZSTD(1)) AFTER cause_ref;
ALTER TABLE {{every attribution_history}}
    ADD COLUMN IF NOT EXISTS applied_at DateTime64(3, 'UTC') CODEC(ZSTD(1)) AFTER further_model_versions,
    ADD COLUMN IF NOT EXISTS cause_ref UUID CODEC(ZSTD(1)) AFTER applied_at,
    ADD COLUMN IF NOT EXISTS replaced_ref UUID CODEC(ZSTD(1)) AFTER cause_ref;
ALTER TABLE {{every attribution_conversions}} ADD COLUMN IF NOT EXISTS cause_ref UUID;

-- To the millisecond, as applied_at is: a row is replaced at the very moment at which the next one is applied.
ALTER TABLE {{local attribution_history}} MODIFY TTL toDateTime(replaced_at) + INTERVAL 730 DAY;
ALTER TABLE {{every attribution_history}} MODIFY COLUMN replaced_at DateTime64(3, 'UTC') DEFAULT now64(3) CODEC(ZSTD(1));
