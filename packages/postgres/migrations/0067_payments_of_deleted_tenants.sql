-- Entries and refunds go with their tenant, and only then: nobody else may take one away.
CREATE POLICY deleted_tenant ON payment_entries TO tributary_system USING (is_being_deleted(profile_id));
CREATE POLICY deleted_tenant ON payment_refunds TO tributary_system USING (is_being_deleted(profile_id));
GRANT SELECT (profile_id, id), DELETE ON payment_entries TO tributary_system;
GRANT DELETE ON payment_refunds TO tributary_system;
