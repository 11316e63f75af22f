-- Before newer reports of entities are stored: copies the current rows into the history, valid until the new report,
-- and never with a negative duration.
INSERT INTO ad_entities_history
SELECT e.*, greatest(c.reported_at, e.applied_at)
FROM ad_entities AS e FINAL
INNER JOIN
(
    SELECT incoming.1 AS incoming_id, incoming.2 AS incoming_version, incoming.3 AS reported_at
    FROM
    (
        SELECT arrayJoin(arrayZip(
            {entity_ids:Array(UUID)},
            arrayMap(v -> toUInt64(v), {versions:Array(String)}),
            arrayMap(at -> toDateTime64(at, 3, 'UTC'), {replaced_at:Array(String)}))) AS incoming
    )
) AS c ON c.incoming_id = e.entity_id
WHERE e.profile_id = {profile_id:UUID} AND e.entity_id IN {entity_ids:Array(UUID)} AND c.incoming_version > e.version
