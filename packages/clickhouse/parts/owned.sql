    -- The owner of each source. Depending on `owners` it is an entity of the level; a platform, by a hash of its
    -- name, for sources with an entity or for paid clicks without an ad; a channel, by a hash of its name; or one
    -- shared owner for all entities of an account. Sources without an owner are left out.
    owned AS
    (
        SELECT
            source_id,
            reinterpretAsUUID(sipHash128(platform)) AS of_platform,
            {{part owner by owners}} AS owner
        FROM sources
        WHERE owner != nil_id
    )
