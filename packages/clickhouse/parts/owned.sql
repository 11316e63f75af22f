    -- Whose a source is: an entity of the level; or, for totals of platforms, a platform by a number made of its name, once for what
    -- names an entity and once for paid clicks that name no ad, which is the same at every level; or a channel, likewise by its name.
    -- A source that is nobody's is not here.
    owned AS
    (
        SELECT
            source_id,
            reinterpretAsUUID(sipHash128(platform)) AS of_platform,
            multiIf(
                {owners:String} = 'entities', of_level,
                {owners:String} = 'platforms', if(of_level = nobody, nobody, of_platform),
                {owners:String} = 'channels', if(channel = '', nobody, reinterpretAsUUID(sipHash128(channel))),
                of_ad = nobody AND platform != '' AND medium = 'paid', of_platform,
                nobody) AS owner
        FROM sources
        WHERE owner != nobody
    )
