ad_scores FINAL
WHERE profile_id = {profile_id:UUID}
    AND score_window = {score_window:String}
    AND ad_id != toUUID('00000000-0000-0000-0000-000000000000')
    AND version =
    (
        SELECT max(version) FROM ad_scores
        WHERE profile_id = {profile_id:UUID} AND score_window = {score_window:String} AND ad_id = toUUID('00000000-0000-0000-0000-000000000000')
    )
