-- The index over the provider's id alone rejected the second outcome of a deal, and with it the whole sync.
DROP INDEX outcomes_by_external_id;

-- Syncs that stopped for good after an internal error are tried again.
UPDATE syncs SET due_at = now() WHERE state = 'failed' AND last_error = 'It could not be read for a reason of ours.';
