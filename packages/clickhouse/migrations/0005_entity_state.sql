-- What else the ledger knows of an entity, from the platform's own settings.
ALTER TABLE {{every ad_entities}} ADD COLUMN IF NOT EXISTS daily_budget Nullable(Decimal(76, 20)) CODEC(ZSTD(1));
ALTER TABLE {{every ad_entities}} ADD COLUMN IF NOT EXISTS learning_stage_status LowCardinality(String);
