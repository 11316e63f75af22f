-- Since when reports show an entity as they do, so that one can be made as it stood before: by the clock of whoever copies. Rows of
-- before have none (1970), which reads as "always".
ALTER TABLE {{every ad_entities}} ADD COLUMN IF NOT EXISTS applied_at DateTime64(3, 'UTC') CODEC(ZSTD(1)) AFTER learning_stage_status;
ALTER TABLE {{every ad_entities_history}} ADD COLUMN IF NOT EXISTS applied_at DateTime64(3, 'UTC') CODEC(ZSTD(1)) AFTER learning_stage_status;

-- Of results that were replaced before this, nobody knows when they stood: a time that never comes keeps them out of every moment.
ALTER TABLE {{local attribution_history}} UPDATE applied_at = toDateTime64('2200-01-01 00:00:00', 3, 'UTC') WHERE applied_at = toDateTime64(0, 3, 'UTC');
