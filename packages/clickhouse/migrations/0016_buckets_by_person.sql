-- A row's bucket is a hash of its person, and a batch is worked out by stretches of it, as many as it needs: so nobody has to know how many
-- when the rows are staged, and no engine has to sort people for it.
ALTER TABLE {{every attribution_conversions}} MODIFY COLUMN bucket UInt16 DEFAULT toUInt16(cityHash64(person_id));
ALTER TABLE {{every attribution_links}} MODIFY COLUMN bucket UInt16 DEFAULT toUInt16(cityHash64(person_id));
ALTER TABLE {{every attribution_touches}} MODIFY COLUMN bucket UInt16 DEFAULT toUInt16(cityHash64(person_id));
