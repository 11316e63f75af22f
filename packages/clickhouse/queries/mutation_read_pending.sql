-- Mutations with a mark of ours that are not through yet on the node that answers, and why one of them fails, if one does.
SELECT count() AS pending, anyIf(latest_fail_reason, latest_fail_reason != '') AS failure
FROM system.mutations
WHERE database = currentDatabase() AND NOT is_done AND NOT is_killed AND position(command, {mark:String}) > 0
