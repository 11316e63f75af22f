-- The first visits of sessions: those that are also touches, in order of time.
SELECT
    visitor_id, session_id, visit_id, occurred_at, channel, source, medium, platform, campaign_external_id, ad_set_external_id, ad_external_id
FROM visits FINAL
WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND session_id IN {session_ids:Array(UUID)}
    AND (visitor_id, visit_id) IN
    (
        SELECT visitor_id, touch_id FROM touches
        WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND session_id IN {session_ids:Array(UUID)}
    )
ORDER BY occurred_at, visit_id
LIMIT 100 BY visitor_id, session_id
