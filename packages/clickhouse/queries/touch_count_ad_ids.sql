-- Visits from ads within [from, to) by platform, and how many of them name their ad and campaign.
SELECT
    platform,
    count() AS touches,
    countIf(ad_id != toUUID('00000000-0000-0000-0000-000000000000')) AS with_ad,
    countIf(campaign_id != toUUID('00000000-0000-0000-0000-000000000000')) AS with_campaign
FROM touches FINAL
WHERE profile_id = {profile_id:UUID}
    AND occurred_at >= {from:DateTime64(3, 'UTC')}
    AND occurred_at < {to:DateTime64(3, 'UTC')}
    AND kind = 'visit'
    AND channel IN {channels:Array(String)}
GROUP BY platform
ORDER BY touches DESC, platform
LIMIT 50
