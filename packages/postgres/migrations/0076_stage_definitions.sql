-- What a stage of a CRM's pipeline counts as stands beside what an event counts as. `conversion_type` of a stage is the outcome
-- that a deal in it is recorded as, or `unmapped` or `ignored`; no event is listed for it.
ALTER TABLE definitions
  ADD COLUMN kind text NOT NULL DEFAULT 'goal' CHECK (kind IN ('goal', 'pipeline_stage')),
  ADD COLUMN channel text,
  ADD COLUMN pipeline_id text,
  ADD COLUMN stage_id text,
  -- Who said what the stage counts as: our suggestion, nobody (then it is unmapped), or a person.
  ADD COLUMN mapping_source text CHECK (mapping_source IN ('suggested', 'engine_default', 'user')),
  ADD CONSTRAINT definitions_stage_is_whole CHECK (
    (kind = 'pipeline_stage') = (channel IS NOT NULL AND pipeline_id IS NOT NULL AND stage_id IS NOT NULL AND mapping_source IS NOT NULL));
CREATE UNIQUE INDEX definitions_by_stage ON definitions (profile_id, channel, pipeline_id, stage_id) WHERE kind = 'pipeline_stage';
