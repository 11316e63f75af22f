-- A deal of a CRM is one outcome of each type: a lead, later an appointment, later won. The provider's id alone is therefore not unique.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS outcomes_by_external_id_and_type ON outcomes
  (profile_id, source, connection_id, external_id, event_key) NULLS NOT DISTINCT WHERE external_id IS NOT NULL;
