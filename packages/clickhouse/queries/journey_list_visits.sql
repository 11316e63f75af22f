-- Some visits by their keys, whole.
SELECT
    visit_id, visitor_id, session_id, is_session_start, occurred_at, received_at, event_type, event_name, channel, source, medium, platform,
    click_id_kind, campaign_external_id, ad_set_external_id, ad_external_id, utm_source, utm_medium, utm_campaign, utm_term, utm_content, utm_id,
    url, path, referrer, referrer_host, device, browser, os, country, city
FROM visits FINAL
WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)} AND visit_id IN {visit_ids:Array(UUID)}
