-- A page of the touches counted by journey_list_touch_times, in the same order, without person, page, device,
-- location or session. A touch has our id of the ad; the platform's id comes from its visit.
WITH page AS
(
    SELECT visitor_id, occurred_at, touch_id, kind, channel, campaign_id, ad_set_id, ad_id, click_id_kind, join_method
    FROM touches FINAL
    WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND occurred_at <= {until:DateTime64(3, 'UTC')}
    ORDER BY occurred_at, touch_id
    LIMIT {limit:UInt32} OFFSET {offset:UInt32}
)
SELECT
    t.occurred_at AS occurred_at, t.touch_id AS touch_id, t.kind AS kind, t.channel AS channel, t.campaign_id AS campaign_id,
    t.ad_set_id AS ad_set_id, t.ad_id AS ad_id, t.click_id_kind AS click_id_kind, t.join_method AS join_method,
    v.campaign_external_id AS campaign_external_id, v.ad_set_external_id AS ad_set_external_id, v.ad_external_id AS ad_external_id
FROM page AS t
LEFT JOIN
(
    SELECT visitor_id, visit_id, campaign_external_id, ad_set_external_id, ad_external_id FROM visits FINAL
    WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND visit_id IN (SELECT touch_id FROM page)
) AS v ON v.visitor_id = t.visitor_id AND v.visit_id = t.touch_id
ORDER BY occurred_at, touch_id
