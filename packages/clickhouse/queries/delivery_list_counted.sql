-- The delivery rows that make up a figure, after a cursor.
WITH
{{part sources}},
{{part delivered}},
{{part counted_delivery}}
SELECT day, entity_id, name, currency, rate, amount, amount * factor AS contributes
FROM counted
WHERE (day, toString(entity_id)) > ({after_day:Date}, {after_id:String})
ORDER BY day, toString(entity_id)
LIMIT {limit:UInt16}
