-- The newest visits of a profile before a cursor that belong to a channel: an arrival to its own channel, and later
-- visits of the session to the arrival's. Only sessions with a visit of that channel can have such visits. All of
-- them are read, so callers start with a short period.
WITH
    sessions AS
    (
        SELECT DISTINCT visitor_id, session_id FROM visits
        WHERE profile_id = {profile_id:UUID} AND channel = {channel:String}
            -- A session may have started before the period.
            AND occurred_at >= {since:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND occurred_at <= {before_at:DateTime64(3, 'UTC')}
    )
SELECT
    visit_id, visitor_id, session_id, is_session_start, occurred_at, received_at, event_type, event_name, is_bot,
    channel, source, medium, platform, click_id_kind, campaign_external_id, ad_set_external_id, ad_external_id,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, utm_id, url, path, referrer, referrer_host,
    device, browser, os, country, city
FROM visits FINAL
WHERE profile_id = {profile_id:UUID}
    AND (visitor_id, visit_id) IN
    (
        SELECT visitor_id, visit_id
        FROM
        (
            SELECT visitor_id, visit_id, session_id, occurred_at AS at, channel AS own
            FROM visits FINAL
            WHERE profile_id = {profile_id:UUID}
                AND occurred_at >= {since:DateTime64(3, 'UTC')}
                AND (occurred_at, visit_id) < ({before_at:DateTime64(3, 'UTC')}, {before_id:UUID})
                AND ({include_bots:Bool} OR NOT is_bot)
                AND ({event_type:String} = '' OR event_type = {event_type:String})
                AND (visitor_id, session_id) IN sessions
        ) AS v
        LEFT JOIN
        (
            SELECT visitor_id, session_id, arraySort(groupArray((occurred_at, touch_id, toString(channel)))) AS arrivals
            FROM touches FINAL
            WHERE profile_id = {profile_id:UUID} AND (visitor_id, session_id) IN sessions
            GROUP BY visitor_id, session_id
        ) AS a USING (visitor_id, session_id)
        WHERE
            if(has(arrivals.2, visit_id) OR NOT arrayExists(arrival -> arrival.1 <= at, arrivals), own,
                arrayLast(arrival -> arrival.1 <= at, arrivals).3) = {channel:String}
        ORDER BY at DESC, visit_id DESC
        LIMIT {limit:UInt16}
    )
ORDER BY occurred_at DESC, visit_id DESC
LIMIT {limit:UInt16}
