-- Everything that a report gives to entities of the level under the model, what it gives to nobody, and what the conversions were worth that it is made of.
-- Both sides are one statement, so that they are of the same moment.
WITH
{{part sources}},
{{part sums by credit of model}}
SELECT r.credited AS credited, r.uncredited AS uncredited, c.value AS value, c.conversions AS conversions
FROM (SELECT sumIf(value, owner_id != nobody) AS credited, sumIf(value, owner_id = nobody) AS uncredited FROM sums) AS r
CROSS JOIN
(
    SELECT count() AS conversions, sumIf(value, revenue_type = 'cash') AS value
    FROM {{part standing_conversions by moment}}
    WHERE profile_id = {profile_id:UUID}
        AND conversion_time >= {from:DateTime64(3, 'UTC')}
        AND conversion_time < {until:DateTime64(3, 'UTC')}
) AS c
SETTINGS do_not_merge_across_partitions_select_final = 1
