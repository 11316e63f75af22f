-- Returns a row if the profile has any attributed conversion.
SELECT 1 AS exists FROM attributed_conversions WHERE profile_id = {profile_id:UUID} LIMIT 1
