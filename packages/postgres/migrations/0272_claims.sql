-- What a keyed customer carries and another keyed customer holds: it is one of the customer's names, unlike other conflicts.
ALTER TABLE identity_conflicts ADD COLUMN is_claim boolean NOT NULL DEFAULT false;
