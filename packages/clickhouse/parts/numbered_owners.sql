    -- Maps owners to small integers, which are looked up and compared fast: the sources, the number of each source's
    -- owner, and the owners in the order of their numbers, from 1. 0 means no owner.
    (
        SELECT (groupArray(source_id), groupArray(number), arraySort(groupUniqArray(owner)))
        FROM (SELECT source_id, owner, toUInt32(dense_rank() OVER (ORDER BY owner)) AS number FROM owned)
    ) AS numbering,
    numbering.1 AS numbered_sources,
    numbering.2 AS numbers_of_owners,
    numbering.3 AS numbered_owners
