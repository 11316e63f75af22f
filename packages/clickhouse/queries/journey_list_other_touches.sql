-- Some touches that no visit stands for, by their keys, whole.
SELECT
    touch_id, visitor_id, session_id, occurred_at, kind, channel, source, medium, platform, campaign_id, ad_set_id, ad_id, click_id_kind, join_method, country, device
FROM touches FINAL
WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND touch_id IN {touch_ids:Array(UUID)} AND kind != 'visit'
