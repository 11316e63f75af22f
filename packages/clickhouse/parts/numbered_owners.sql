    -- Owners by small numbers, which are looked up and compared fast: sources, the number of each one's owner, and owners by their
    -- numbers, from 1. 0 is nobody.
    (SELECT groupArray(source_id) FROM (SELECT source_id FROM owned ORDER BY source_id)) AS numbered_sources,
    (SELECT groupArray(toUInt32(number)) FROM (SELECT dense_rank() OVER (ORDER BY owner) AS number FROM owned ORDER BY source_id)) AS numbers_of_owners,
    (SELECT arraySort(groupUniqArray(owner)) FROM owned) AS numbered_owners
