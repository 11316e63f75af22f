-- How the tables of visits and touches lie on the node that answers: parts that queries read, and changes under way.
SELECT
    multiIf(table = '{{local visits}}', 'visits', 'touches') AS name,
    sumIf(amount, kind = 'part') AS parts,
    sumIf(amount, kind = 'mutation') AS pending_mutations
FROM (
    SELECT table, 'part' AS kind, count() AS amount FROM system.parts WHERE database = currentDatabase() AND active GROUP BY table
    UNION ALL
    SELECT table, 'mutation' AS kind, count() AS amount FROM system.mutations WHERE database = currentDatabase() AND NOT is_done GROUP BY table
)
WHERE table IN ('{{local visits}}', '{{local touches}}')
GROUP BY table
ORDER BY name
