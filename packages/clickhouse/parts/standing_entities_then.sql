-- For each entity the row that was current at the moment: the earliest one not replaced by then.
(
    SELECT *
    FROM
    (
        SELECT * FROM ad_entities FINAL
        WHERE profile_id = {profile_id:UUID} AND applied_at <= {entities_as_of:DateTime64(3, 'UTC')}
        UNION ALL
        SELECT * EXCEPT replaced_at FROM ad_entities_history FINAL
        WHERE profile_id = {profile_id:UUID}
            AND applied_at <= {entities_as_of:DateTime64(3, 'UTC')}
            AND replaced_at > {entities_as_of:DateTime64(3, 'UTC')}
    )
    ORDER BY version
    LIMIT 1 BY entity_id
)
