-- Before entities are told anew: what reports show of them goes to the history, if what comes is newer.
INSERT INTO ad_entities_history
SELECT e.*, {replaced_at:DateTime64(3, 'UTC')}
FROM ad_entities AS e FINAL
INNER JOIN
(
    SELECT tupleElement(coming, 1) AS coming_id, tupleElement(coming, 2) AS coming_version
    FROM (SELECT arrayJoin(arrayZip({entity_ids:Array(UUID)}, arrayMap(v -> toUInt64(v), {versions:Array(String)}))) AS coming)
) AS c ON c.coming_id = e.entity_id
WHERE e.profile_id = {profile_id:UUID} AND e.entity_id IN {entity_ids:Array(UUID)} AND c.coming_version > e.version
