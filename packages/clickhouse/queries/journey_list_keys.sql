-- Which of the events that journey_list_times counts stand on a page, in the same order.
SELECT is_touch, visitor_id, id
FROM
(
    SELECT occurred_at, toUInt8(0) AS is_touch, visitor_id, visit_id AS id FROM visits FINAL
    WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND NOT is_bot AND occurred_at <= {until:DateTime64(3, 'UTC')}
    UNION ALL
    SELECT occurred_at, toUInt8(1) AS is_touch, visitor_id, touch_id AS id FROM touches FINAL
    WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND kind != 'visit' AND occurred_at <= {until:DateTime64(3, 'UTC')}
)
ORDER BY occurred_at, is_touch, id, visitor_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
