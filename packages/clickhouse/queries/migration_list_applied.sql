SELECT name, checksum FROM schema_migrations FINAL ORDER BY name
