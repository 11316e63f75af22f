-- The last consent that came back in a browser in which it did not begin. It decides nothing, or a stranger could end a hand-off, but a
-- caller that polls can show why nothing happens.
ALTER TABLE handoffs
  ADD COLUMN last_attempt_reason text,
  ADD COLUMN last_attempt_at timestamptz;
