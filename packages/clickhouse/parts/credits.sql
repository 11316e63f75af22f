    -- Whose a source is: an entity of the level; or, for totals of platforms, a platform by a number made of its name, once for what
    -- names an entity and once for paid clicks that do not. Owners are numbered, because small numbers are looked up and compared fast:
    -- .1 sources, .2 the number of each one's owner, .3 owners by their numbers, from 1. 0 is nobody.
    (
        SELECT (groupArray(source_id), groupArray(toUInt32(number)), arraySort(groupUniqArray(owner)))
        FROM
        (
            SELECT
                source_id,
                dense_rank() OVER (ORDER BY owner) AS number,
                reinterpretAsUUID(sipHash128(platform)) AS of_platform,
                multiIf(
                    {owners:String} = 'entities', of_level,
                    {owners:String} = 'platforms', if(of_level = nobody, nobody, of_platform),
                    of_level = nobody AND platform != '' AND medium = 'paid', of_platform,
                    nobody) AS owner
            FROM sources
            WHERE owner != nobody
        )
    ) AS owned,
    -- A row for every conversion of the period and everybody who has a share in it under the model, nobody among them: so nothing is
    -- lost. Every touch that the three models of many shares look at has a weight above zero; a share may still be worth nothing.
    credits AS
    (
        SELECT
            owned.3[owner] AS owner_id,
            credit,
            conversion_id,
            conversion_time,
            conversion_type,
            is_cash,
            is_new_purchase,
            has_value,
            path_length
        FROM
        (
            SELECT
                conversion_id,
                conversion_time,
                conversion_type,
                revenue_type = 'cash' AS is_cash,
                -- Deposit and balance are one purchase, named by its earliest payment: it counts there, and nowhere twice.
                is_first_payment AND purchase_id = conversion_id AS is_new_purchase,
                has_value,
                length(source_ids) AS path_length,
                {model:String} IN ('last_touch', 'first_touch', 'last_non_direct') AS is_single,
                if(is_single, arraySlice(source_ids, if({model:String} = 'last_touch', -1, if({model:String} = 'first_touch', 1, last_non_direct)), 1), source_ids) AS credited,
                arrayMap(source -> transform(source, owned.1, owned.2, toUInt32(0)), credited) AS owners_of_path,
                if(is_single, [value], if({model:String} = 'linear', linear, if({model:String} = 'time_decay', time_decay, position_based))) AS shares,
                if(empty(credited), [toUInt32(0)], arrayDistinct(owners_of_path)) AS owners,
                if(is_single OR empty(credited), [value],
                    arrayMap(one -> arraySum((share, whose) -> if(whose = one, share, 0), shares, owners_of_path), owners)) AS sums
            FROM attributed_conversions FINAL
            WHERE profile_id = {profile_id:UUID}
                AND conversion_time >= {from:DateTime64(3, 'UTC')}
                AND conversion_time < {until:DateTime64(3, 'UTC')}
        )
        ARRAY JOIN owners AS owner, sums AS credit
    )
