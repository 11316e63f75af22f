    -- The entity of each source at the level, the multiplier of its credit and the relative error of that: by its ad
    -- or ad set if that had its own experiment, otherwise by its campaign. Unlisted units have the multiplier
    -- 1.
    weighed AS
    (
        SELECT
            source_id,
            channel,
            of_level,
            of_ad_set,
            of_campaign,
            multiIf(has({tested:Array(UUID)}, of_ad), of_ad, has({tested:Array(UUID)}, of_ad_set), of_ad_set, of_campaign) AS unit,
            indexOf({units:Array(UUID)}, unit) AS place,
            if(place = 0, 1., {times:Array(Float64)}[place]) AS times,
            if(place = 0, 0., {doubts:Array(Float64)}[place]) AS doubt
        FROM sources
    )
