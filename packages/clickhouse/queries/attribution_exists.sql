-- Whether anything of a profile was ever attributed: a row, or none.
SELECT 1 AS exists FROM attributed_conversions WHERE profile_id = {profile_id:UUID} LIMIT 1
