-- What one unit of a currency was worth in another on a day, and of which day that is: without a rate, a day has the last one before
-- it. No row where there was none yet.
CREATE FUNCTION exchange_rate(from_currency text, to_currency text, on_day date) RETURNS TABLE (rate numeric, rate_date date)
  LANGUAGE sql STABLE
AS $$
  SELECT round(t.per_usd / f.per_usd, 20), least(t.day, f.day)
  FROM (SELECT per_usd, day FROM exchange_rates r WHERE r.currency = from_currency AND r.day <= on_day ORDER BY r.day DESC LIMIT 1) f
  CROSS JOIN (SELECT per_usd, day FROM exchange_rates r WHERE r.currency = to_currency AND r.day <= on_day ORDER BY r.day DESC LIMIT 1) t;
$$;
