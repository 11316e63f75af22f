-- Touches of some visitors, in the form that packages/rules/attribution expects.
SELECT
    visitor_id, touch_id, toUnixTimestamp64Milli(occurred_at) AS at, session_id, channel, source, medium, platform, campaign_id, ad_set_id, ad_id,
    click_id_kind, toString(click_mark) AS click_mark
FROM touches FINAL
WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)}
    AND occurred_at BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
ORDER BY visitor_id, occurred_at, touch_id
LIMIT {limit:UInt32}
