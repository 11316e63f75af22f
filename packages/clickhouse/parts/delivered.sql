    -- The rates of each foreign currency: a line for consecutive days, with the currency, the first day and the rates. One parameter
    -- holds 128 KiB; all of them hold every currency on every day of the longest report.
    rates AS
    (
        SELECT words[1] AS currency, toDate(words[2]) + (place - 1) AS day, toDecimal256(rate_of_day, 20) AS rate
        FROM
        (
            SELECT splitByChar(' ', arrayJoin(arrayConcat(
                {rates_1:Array(String)}, {rates_2:Array(String)}, {rates_3:Array(String)}, {rates_4:Array(String)},
                {rates_5:Array(String)}, {rates_6:Array(String)}, {rates_7:Array(String)}, {rates_8:Array(String)},
                {rates_9:Array(String)}, {rates_10:Array(String)}, {rates_11:Array(String)}, {rates_12:Array(String)},
                {rates_13:Array(String)}, {rates_14:Array(String)}, {rates_15:Array(String)}, {rates_16:Array(String)}))) AS words
        )
        ARRAY JOIN splitByChar(',', words[3]) AS rate_of_day, arrayEnumerate(splitByChar(',', words[3])) AS place
    ),
    -- What was told of the days at the level and below it (which is the order of the alphabet).
    told AS
    (
        SELECT
            d.*,
            e.name AS name,
            e.ad_set_id AS ad_set_id,
            if(d.level = {level:String}, d.entity_id, if({level:String} = 'campaign', e.campaign_id, e.ad_set_id)) AS owner_id
        FROM
        (
            SELECT * FROM {{part standing_delivery by moment}}
            WHERE profile_id = {profile_id:UUID} AND level <= {level:String} AND day >= {first_day:Date} AND day <= {last_day:Date}
        ) AS d
        LEFT JOIN told_entities AS e ON e.entity_id = d.entity_id
    ),
    -- Rows of different levels tell of the same money. What was told of an entity itself on a day counts; else, what was told of its
    -- parts. A row without a rate is there with a rate of 0, and adds nothing. Nobody's are those whose parents are not known.
    delivered AS
    (
        SELECT
            t.*,
            if(t.currency = {currency:String}, toDecimal256(1, 20), r.rate) AS rate
        FROM told AS t
        LEFT JOIN rates AS r ON r.currency = t.currency AND r.day = t.day
        {{part told_otherwise by level}}
    )
