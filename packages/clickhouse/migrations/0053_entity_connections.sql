-- The connection that reported an entity, for the account filter of reports. Nil: not known.
ALTER TABLE {{every ad_entities}} ADD COLUMN IF NOT EXISTS connection_id UUID CODEC(ZSTD(1)) AFTER applied_at;
ALTER TABLE {{every ad_entities_history}} ADD COLUMN IF NOT EXISTS connection_id UUID CODEC(ZSTD(1)) AFTER applied_at;
