-- Unfinished mutations with our mark on this node, and why one of them fails, if any does.
SELECT count() AS pending, anyIf(latest_fail_reason, latest_fail_reason != '') AS failure
FROM system.mutations
WHERE database = currentDatabase() AND NOT is_done AND NOT is_killed AND position(command, {mark:String}) > 0
