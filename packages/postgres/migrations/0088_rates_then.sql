-- Since when a rate is known, for reports as they stood: null, of rates of before this, reads as "always". Another rate of the same day
-- leaves the one before it in exchange_rates_history.
ALTER TABLE exchange_rates ADD COLUMN known_at timestamptz;
ALTER TABLE exchange_rates ALTER COLUMN known_at SET DEFAULT clock_timestamp();

-- What exchange_rate says, as it was known at a moment.
CREATE FUNCTION exchange_rate_then(from_currency text, to_currency text, on_day date, moment timestamptz) RETURNS TABLE (rate numeric, rate_date date)
  LANGUAGE sql STABLE
AS $$
  SELECT round(t.per_usd / f.per_usd, 20), least(t.day, f.day)
  FROM (
    SELECT coalesce((
        SELECT h.per_usd FROM exchange_rates_history h
        WHERE h.currency = r.currency AND h.day = r.day AND h.replaced_at > moment ORDER BY h.replaced_at LIMIT 1), r.per_usd) AS per_usd, r.day
    FROM exchange_rates r
    WHERE r.currency = from_currency AND r.day <= on_day AND (r.known_at IS NULL OR r.known_at <= moment) ORDER BY r.day DESC LIMIT 1) f
  CROSS JOIN (
    SELECT coalesce((
        SELECT h.per_usd FROM exchange_rates_history h
        WHERE h.currency = r.currency AND h.day = r.day AND h.replaced_at > moment ORDER BY h.replaced_at LIMIT 1), r.per_usd) AS per_usd, r.day
    FROM exchange_rates r
    WHERE r.currency = to_currency AND r.day <= on_day AND (r.known_at IS NULL OR r.known_at <= moment) ORDER BY r.day DESC LIMIT 1) t;
$$;
