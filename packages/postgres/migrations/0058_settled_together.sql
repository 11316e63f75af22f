-- Conversions of many profiles are taken off their lists in one transaction, by the role that works the queues. These rows hold ids and a time.
CREATE POLICY queue ON moved_conversions TO tributary_system USING (true);
GRANT SELECT, DELETE ON moved_conversions TO tributary_system;
