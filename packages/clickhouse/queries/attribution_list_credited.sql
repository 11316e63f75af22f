-- The definitions for which a campaign, ad set or ad has a share in a conversion of this version. Under the models of
-- multiple credits every touch on a path has a share.
SELECT DISTINCT profile_id, definition_id
FROM {found_in:Identifier}
ARRAY JOIN source_ids AS source_id
WHERE profile_id IN {profile_ids:Array(UUID)} AND version = {version:UInt64} AND NOT is_deleted
    AND (profile_id, source_id) IN
    (
        SELECT profile_id, source_id FROM touch_sources
        WHERE profile_id IN {profile_ids:Array(UUID)} AND (campaign_id, ad_set_id, ad_id) !=
            (toUUID('00000000-0000-0000-0000-000000000000'), toUUID('00000000-0000-0000-0000-000000000000'), toUUID('00000000-0000-0000-0000-000000000000'))
    )
