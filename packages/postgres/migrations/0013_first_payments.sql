-- A new payment of somebody with fifty thousand of them must cost what it costs for somebody with five. Its standing hangs on the
-- earliest payments alone: of those without a subject_ref, of those with one, and of each subject. Null is no payment.
CREATE INDEX outcomes_by_tag ON outcomes
  (profile_id, customer_id, (CASE WHEN subject_ref IS NULL THEN 0 ELSE 1 END), occurred_at, id) WHERE is_first_payment IS NOT NULL;
CREATE INDEX outcomes_by_subject ON outcomes (profile_id, customer_id, subject_ref, occurred_at, id)
  WHERE is_first_payment IS NOT NULL AND subject_ref IS NOT NULL;
-- Those that an earlier payment without a subject_ref would take their standing from.
CREATE INDEX outcomes_tagged_first ON outcomes (profile_id, customer_id, occurred_at, id)
  WHERE is_first_payment AND subject_ref IS NOT NULL;
