    -- Whose each source is at the level, how often its credit counts, and how far it may be off: by its ad or ad set where that was tested by itself, or else by
    -- its campaign. What is not listed counts once.
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
