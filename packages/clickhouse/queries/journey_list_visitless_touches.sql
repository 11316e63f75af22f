-- A page of the touches counted by journey_list_visitless_touch_times, in the same order, with all columns.
SELECT
    touch_id, visitor_id, session_id, occurred_at, kind, channel, source, medium, platform, campaign_id, ad_set_id, ad_id, click_id_kind, join_method, country, device
FROM touches FINAL
WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND occurred_at <= {until:DateTime64(3, 'UTC')}
    AND (kind != 'visit' OR touch_id NOT IN
    (
        SELECT visit_id FROM visits
        WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND occurred_at <= {until:DateTime64(3, 'UTC')}
    ))
ORDER BY occurred_at, touch_id, visitor_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
