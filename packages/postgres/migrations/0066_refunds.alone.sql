-- Of an outcome with money: what was given back of it, in its own currency, as it was told (it may be more than was paid). From here on
-- reporting_amount is what is left of it, at the payment's own rate. Whom a merchant says to have paid stands in customer_id; whom its
-- message named is kept beside it, so that the merchant's word can be taken back and a repeated message be told from a changed one.
ALTER TABLE outcomes
  ADD COLUMN IF NOT EXISTS refunded numeric NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS is_payer_assigned boolean NOT NULL DEFAULT false,
  ADD COLUMN IF NOT EXISTS said_customer_id uuid,
  DROP CONSTRAINT IF EXISTS outcomes_refunded_check,
  DROP CONSTRAINT IF EXISTS outcomes_check1,
  ADD CONSTRAINT outcomes_refunded_check CHECK (refunded >= 0) NOT VALID,
  ADD CONSTRAINT outcomes_check1 CHECK (is_payer_assigned OR said_customer_id IS NULL) NOT VALID;
ALTER TABLE outcomes VALIDATE CONSTRAINT outcomes_refunded_check;
ALTER TABLE outcomes VALIDATE CONSTRAINT outcomes_check1;
CREATE INDEX CONCURRENTLY IF NOT EXISTS outcomes_by_said_customer ON outcomes (profile_id, said_customer_id) WHERE said_customer_id IS NOT NULL;

-- A refund may name its payment by its provider's id. Payments that name nobody are a list of their own.
CREATE INDEX CONCURRENTLY IF NOT EXISTS outcomes_by_provider_id ON outcomes (profile_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS outcomes_unidentified ON outcomes (profile_id, occurred_at, id) WHERE customer_id IS NULL AND amount IS NOT NULL;
