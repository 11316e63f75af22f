-- Rows current since before the moment, and rows that were current then and replaced later. A worker that dies
-- between writing a history row and replacing the original leaves a history row of a current result; it is excluded,
-- because no newer row has replaced it.
(
    SELECT *, first_source, last_source, last_non_direct_source
    FROM attributed_conversions FINAL
    WHERE profile_id = {profile_id:UUID}
        AND conversion_time >= {from:DateTime64(3, 'UTC')}
        AND conversion_time < {until:DateTime64(3, 'UTC')}
        AND applied_at <= {as_of:DateTime64(3, 'UTC')}
    UNION ALL
    SELECT * EXCEPT (replaced_by, replaced_cause, replaced_at), source_ids[1], source_ids[-1], source_ids[last_non_direct]
    FROM attribution_history FINAL
    WHERE profile_id = {profile_id:UUID}
        AND conversion_time >= {from:DateTime64(3, 'UTC')}
        AND conversion_time < {until:DateTime64(3, 'UTC')}
        AND applied_at <= {as_of:DateTime64(3, 'UTC')}
        AND replaced_at > {as_of:DateTime64(3, 'UTC')}
        AND (conversion_time, conversion_id) IN
        (
            SELECT conversion_time, conversion_id FROM attributed_conversions
            WHERE profile_id = {profile_id:UUID}
                AND conversion_time >= {from:DateTime64(3, 'UTC')}
                AND conversion_time < {until:DateTime64(3, 'UTC')}
                AND applied_at > {as_of:DateTime64(3, 'UTC')}
        )
)
