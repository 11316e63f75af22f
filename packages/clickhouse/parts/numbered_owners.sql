    -- Owners by small numbers, which are looked up and compared fast: sources, the number of each one's owner, and owners by their
    -- numbers, from 1. 0 is nobody.
    (
        SELECT (groupArray(source_id), groupArray(number), arraySort(groupUniqArray(owner)))
        FROM (SELECT source_id, owner, toUInt32(dense_rank() OVER (ORDER BY owner)) AS number FROM owned)
    ) AS numbering,
    numbering.1 AS numbered_sources,
    numbering.2 AS numbers_of_owners,
    numbering.3 AS numbered_owners
