-- The newest visits of a profile before a cursor, with all columns. A subquery finds them in a few narrow columns,
-- and only those are read in full. FINAL: a redelivered visit counts once. ClickHouse orders UUIDs in its own way,
-- here and in the comparison with the cursor.
SELECT
    visit_id, visitor_id, session_id, is_session_start, occurred_at, received_at, event_type, event_name, is_bot,
    channel, source, medium, platform, click_id_kind, campaign_external_id, ad_set_external_id, ad_external_id,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, utm_id, url, path, referrer, referrer_host,
    device, browser, os, country, city
FROM visits FINAL
WHERE profile_id = {profile_id:UUID}
  AND (visitor_id, visit_id) IN (
    SELECT visitor_id, visit_id
    FROM visits FINAL
    WHERE profile_id = {profile_id:UUID}
      AND occurred_at >= {since:DateTime64(3, 'UTC')}
      AND (occurred_at, visit_id) < ({before_at:DateTime64(3, 'UTC')}, {before_id:UUID})
      AND ({include_bots:Bool} OR NOT is_bot)
      AND ({event_type:String} = '' OR event_type = {event_type:String})
    ORDER BY occurred_at DESC, visit_id DESC
    LIMIT {limit:UInt16}
  )
ORDER BY occurred_at DESC, visit_id DESC
LIMIT {limit:UInt16}
