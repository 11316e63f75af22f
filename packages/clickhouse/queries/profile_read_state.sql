-- Storage of a profile. Copies of redelivered rows count, because this is about the store, and only two narrow
-- columns are read. Parts and mutations of other profiles are left out, because a profile must not see them.
WITH
    (SELECT (count(), uniqExact(_part)) FROM visits WHERE profile_id = {profile_id:UUID}) AS in_visits,
    (SELECT (count(), uniqExact(_part)) FROM touches WHERE profile_id = {profile_id:UUID}) AS in_touches,
    (
        SELECT (countIf(table = '{{local visits}}'), countIf(table = '{{local touches}}')) FROM system.mutations
        WHERE database = currentDatabase() AND NOT is_done AND position(command, toString({profile_id:UUID})) > 0
    ) AS under_way
SELECT
    in_visits.1 AS visits, in_visits.2 AS visits_parts, under_way.1 AS visits_mutations,
    in_touches.1 AS touches, in_touches.2 AS touches_parts, under_way.2 AS touches_mutations,
    (SELECT maxOrNull(received_at) FROM visits WHERE profile_id = {profile_id:UUID}) AS newest_received_at
