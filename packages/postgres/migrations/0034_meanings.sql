-- What others may read of the ledger of outcomes, and how. A view like these has no rights but those of whoever asks, so the wall of the
-- profile stands in it as in the tables.

-- Outcomes with what they mean: the definition that lists their name, or else their type, where there is one.
CREATE VIEW outcome_meanings WITH (security_invoker = true) AS
SELECT o.*, coalesce(byname.definition_id, bytype.definition_id) AS definition_id, d.conversion_type, d.counts_as_cash,
  d.is_attribution_eligible, d.lookback_window_days
FROM outcomes o
LEFT JOIN definition_events byname ON byname.profile_id = o.profile_id AND byname.event_key = o.event_key
LEFT JOIN definition_events bytype ON bytype.profile_id = o.profile_id AND bytype.event_key = o.event_type_key
LEFT JOIN definitions d ON d.profile_id = o.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id);
GRANT SELECT ON outcome_meanings TO tributary_app;

-- The same of what customers' outcomes come to.
CREATE VIEW outcome_total_meanings WITH (security_invoker = true) AS
SELECT t.*, coalesce(byname.definition_id, bytype.definition_id) AS definition_id, d.counts_as_cash
FROM outcome_totals t
LEFT JOIN definition_events byname ON byname.profile_id = t.profile_id AND byname.event_key = t.event_key
LEFT JOIN definition_events bytype ON bytype.profile_id = t.profile_id AND bytype.event_key = t.event_type_key
LEFT JOIN definitions d ON d.profile_id = t.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id);
GRANT SELECT ON outcome_total_meanings TO tributary_app;

-- Payments are the outcomes that have a standing among their customer's.
CREATE VIEW payments WITH (security_invoker = true) AS
SELECT profile_id, id, customer_id, occurred_at AS paid_at, amount, currency, subject_ref, is_installment, is_first_payment, purchase_id
FROM outcomes WHERE is_first_payment IS NOT NULL;
GRANT SELECT ON payments TO tributary_app;
