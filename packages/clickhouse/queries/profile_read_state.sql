-- What is stored of a profile, copies of redelivered rows included: this is about the store, and reads one narrow column.
SELECT
    (SELECT count() FROM visits WHERE profile_id = {profile_id:UUID}) AS visits,
    (SELECT count() FROM touches WHERE profile_id = {profile_id:UUID}) AS touches,
    (SELECT maxOrNull(received_at) FROM visits WHERE profile_id = {profile_id:UUID}) AS newest_received_at
