-- Before entities are told anew: what reports show of them goes to the history, if what comes is newer. It stood until that was told, and
-- never less than no time.
INSERT INTO ad_entities_history
SELECT e.*, greatest(c.told_at, e.applied_at)
FROM ad_entities AS e FINAL
INNER JOIN
(
    SELECT coming.1 AS coming_id, coming.2 AS coming_version, coming.3 AS told_at
    FROM
    (
        SELECT arrayJoin(arrayZip(
            {entity_ids:Array(UUID)},
            arrayMap(v -> toUInt64(v), {versions:Array(String)}),
            arrayMap(at -> toDateTime64(at, 3, 'UTC'), {replaced_at:Array(String)}))) AS coming
    )
) AS c ON c.coming_id = e.entity_id
WHERE e.profile_id = {profile_id:UUID} AND e.entity_id IN {entity_ids:Array(UUID)} AND c.coming_version > e.version
