-- Sources that have reported payments so far. Payments of one provider carry its connection, those of the business itself none.
INSERT INTO sale_sources (profile_id, source, connection_id)
SELECT DISTINCT profile_id, source || coalesce(':' || connection_id, ''), connection_id FROM outcomes WHERE is_first_payment IS NOT NULL
ON CONFLICT DO NOTHING;

-- Wakes the worker for profiles with several sources: it marks what they have.
INSERT INTO dirty_sales (profile_id, outcome_id)
SELECT profile_id, '00000000-0000-0000-0000-000000000000' FROM sale_sources GROUP BY profile_id HAVING count(*) > 1
ON CONFLICT DO NOTHING;
