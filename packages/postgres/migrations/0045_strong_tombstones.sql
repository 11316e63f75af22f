-- Whether whoever was erased held a strong identifier. If so, a phone of theirs does not make another person's message theirs; if not,
-- it does, as it would have before the erasure. What was erased before this was noted counts as before: by the phone.
ALTER TABLE tombstones ADD COLUMN was_strong boolean NOT NULL DEFAULT false;
