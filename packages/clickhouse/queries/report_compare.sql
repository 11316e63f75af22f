-- The credit that reports show under every model, to entities of each level and to none; model '' is the total value.
-- Conversions are read once, so that all figures are of the same moment. Credit is summed by source first, as there
-- are few, and then assigned to entities of each level.
WITH
{{part sources}},
    conversions AS
    (
        SELECT
            value,
            if(empty(source_ids), [toUInt64(0)], source_ids) AS path,
            {{map source}} AS sources_of_single,
            {{map shares}} AS shares_of_multiple,
            arrayMap(shares -> if(empty(source_ids), [value], shares), mapValues(shares_of_multiple)) AS shares_of_paths
        FROM {{part standing_conversions by moment}}
        WHERE profile_id = {profile_id:UUID}
            AND conversion_time >= {from:DateTime64(3, 'UTC')}
            AND conversion_time < {until:DateTime64(3, 'UTC')}
            AND revenue_type = 'cash'
    ),
    by_model AS
    (
        SELECT
            model,
            length(given_to) != length(given) AS is_unworked,
            if(is_unworked, [toUInt64(0)], given_to) AS source_ids,
            if(is_unworked, [toInt64(0)], given) AS credits
        FROM conversions
        ARRAY JOIN
            arrayConcat([''], mapKeys(sources_of_single), mapKeys(shares_of_multiple)) AS model,
            arrayConcat([[toUInt64(0)]], arrayMap(source -> [source], mapValues(sources_of_single)), arrayMap(shares -> path, shares_of_paths)) AS given_to,
            arrayConcat([[value]], arrayMap(source -> [value], mapValues(sources_of_single)), shares_of_paths) AS given
    ),
    by_source AS
    (
        SELECT model, source_id, sum(credit) AS credit, max(is_unworked) AS is_unworked
        FROM by_model
        ARRAY JOIN source_ids AS source_id, credits AS credit
        GROUP BY model, source_id
    )
SELECT
    model,
    of.1 AS level,
    sumIf(credit, of.2 != nil_id) AS credited,
    sumIf(credit, of.2 = nil_id) AS uncredited,
    -- The model has not been computed for every conversion yet, so its reports fail, too.
    max(is_unworked) AS is_unworked
FROM by_source AS b
ANY LEFT JOIN sources AS s ON s.source_id = b.source_id
ARRAY JOIN [('campaign', of_campaign), ('ad_set', of_ad_set), ('ad', of_ad)] AS of
GROUP BY model, level
SETTINGS do_not_merge_across_partitions_select_final = 1
