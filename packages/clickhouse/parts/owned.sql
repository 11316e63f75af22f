    -- Whose a source is: an entity of the level; or, for totals of platforms, a platform by a number made of its name, once for what
    -- names an entity and once for paid clicks that name no ad, which is the same at every level; or a channel, likewise by its name; or
    -- an account, whose entities share one owner. A source that is nobody's is not here.
    owned AS
    (
        SELECT
            source_id,
            reinterpretAsUUID(sipHash128(platform)) AS of_platform,
            {{part owner by owners}} AS owner
        FROM sources
        WHERE owner != nobody
    )
