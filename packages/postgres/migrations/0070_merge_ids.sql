-- Ids of the merges of before. Rows are locked one by one; only the index, at the end, keeps merges out while it is made.
UPDATE merges SET id = gen_random_uuid() WHERE id IS NULL;
ALTER TABLE merges VALIDATE CONSTRAINT merges_have_ids;
CREATE UNIQUE INDEX merges_by_id ON merges (profile_id, id);
