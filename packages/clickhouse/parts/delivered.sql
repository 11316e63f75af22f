    -- Exchange rates of each foreign currency: one line per run of consecutive days, with the currency, the first day
    -- and the rates. One parameter is limited to 128 KiB; the 16 together fit every currency on every day of the
    -- longest report.
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
    -- Reported delivery at the level and below it. `<=` works because the levels sort alphabetically: ad, ad_set,
    -- campaign.
    reported AS
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
        LEFT JOIN reported_entities AS e ON e.entity_id = d.entity_id
    ),
    -- Rows of different levels report the same money: a day reported for the entity itself counts, otherwise the days
    -- of its children. A row without an exchange rate has the rate 0 and adds nothing. Rows whose parents are unknown
    -- have the nil owner.
    delivered AS
    (
        SELECT
            t.*,
            if(t.currency = {currency:String}, toDecimal256(1, 20), r.rate) AS rate
        FROM reported AS t
        LEFT JOIN rates AS r ON r.currency = t.currency AND r.day = t.day
        {{part told_otherwise by level}}
    )
