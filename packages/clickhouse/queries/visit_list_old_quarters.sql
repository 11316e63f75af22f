-- Quarters in which all visits are older than the given days.
SELECT DISTINCT partition_id AS id
FROM system.parts
WHERE database = currentDatabase() AND table = '{{local visits}}' AND active
    AND addMonths(toDate(partition), 3) <= toDate(subtractDays({now:DateTime64(3, 'UTC')}, {days:UInt32}))
ORDER BY id
