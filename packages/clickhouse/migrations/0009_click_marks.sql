-- Which click a touch came by, as a keyed hash: an outcome that names the same click tells of the same arrival once more, and is no
-- touch of its own then. 0: by no click that says which one it was, or stored before this column was.
ALTER TABLE {{every touches}} ADD COLUMN IF NOT EXISTS click_mark UInt64 CODEC(ZSTD(1));
ALTER TABLE {{every attribution_touches}} ADD COLUMN IF NOT EXISTS click_id_kind LowCardinality(String) AFTER ad_id;
ALTER TABLE {{every attribution_touches}} ADD COLUMN IF NOT EXISTS click_mark UInt64 AFTER click_id_kind;
