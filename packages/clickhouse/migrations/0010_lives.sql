-- What figures said before they were restated has a life. A row that was there already begins it when this is first read or merged.
ALTER TABLE {{every attribution_history}} ADD COLUMN IF NOT EXISTS replaced_at DateTime DEFAULT now() CODEC(ZSTD(1));
ALTER TABLE {{local attribution_history}} MODIFY TTL replaced_at + INTERVAL 730 DAY;
ALTER TABLE {{local ad_delivery_history}} MODIFY TTL toDateTime(replaced_at) + INTERVAL 730 DAY;
