-- Rows that started and rows that ended between two moments: a row for each start with its cause, and one for each
-- end with the cause of its replacement. A row that started and ended at the same instant was never visible and is
-- left out.
(
    SELECT
        *, first_source, last_source, last_non_direct_source,
        toInt8(1) AS sign, toString(cause) AS why, cause_ref AS ref, applied_at AS at
    FROM attributed_conversions FINAL
    WHERE profile_id = {profile_id:UUID}
        AND conversion_time >= {from:DateTime64(3, 'UTC')}
        AND conversion_time < {until:DateTime64(3, 'UTC')}
        AND applied_at > {changed_since:DateTime64(3, 'UTC')}
        AND applied_at <= {as_of:DateTime64(3, 'UTC')}
    UNION ALL
    SELECT
        * EXCEPT (replaced_by, replaced_cause, replaced_at, step), source_ids[1], source_ids[-1], source_ids[last_non_direct],
        step.1, step.2, step.3, step.4
    FROM
    (
        SELECT *
        FROM attribution_history FINAL
        WHERE profile_id = {profile_id:UUID}
            AND conversion_time >= {from:DateTime64(3, 'UTC')}
            AND conversion_time < {until:DateTime64(3, 'UTC')}
            AND applied_at < replaced_at
            AND replaced_at > {changed_since:DateTime64(3, 'UTC')}
            AND applied_at <= {as_of:DateTime64(3, 'UTC')}
            AND (conversion_id, version) NOT IN
            (
                -- A row that is still current is not history. Most conversions were never replaced, so only the
                -- others are looked up.
                SELECT conversion_id, version FROM attributed_conversions FINAL
                WHERE profile_id = {profile_id:UUID}
                    AND conversion_time >= {from:DateTime64(3, 'UTC')}
                    AND conversion_time < {until:DateTime64(3, 'UTC')}
                    AND conversion_id IN
                    (
                        SELECT conversion_id FROM attribution_history
                        WHERE profile_id = {profile_id:UUID}
                            AND conversion_time >= {from:DateTime64(3, 'UTC')}
                            AND conversion_time < {until:DateTime64(3, 'UTC')}
                            AND replaced_at > {changed_since:DateTime64(3, 'UTC')}
                    )
            )
    )
    ARRAY JOIN arrayFilter(
        step -> step.4 > {changed_since:DateTime64(3, 'UTC')} AND step.4 <= {as_of:DateTime64(3, 'UTC')},
        [
            (toInt8(1), toString(cause), cause_ref, applied_at),
            (toInt8(-1), toString(replaced_cause), replaced_ref, replaced_at)
        ]) AS step
)
