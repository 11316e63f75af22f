import type { Tx } from '@tributary/postgres';
import { type Channel, limits, type StageMappingSource, type StageOutcome } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** The outcome that a CRM pipeline stage stands for. */
export interface StageDefinition {
  readonly id: string;
  readonly channel: Channel;
  readonly pipelineId: string;
  readonly stageId: string;
  readonly name: string;
  readonly eventKey: StageOutcome;
  readonly source: StageMappingSource;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A stage as read from the CRM, with the outcome that its name suggests. */
export interface FoundStage {
  readonly pipelineId: string;
  readonly stageId: string;
  readonly name: string;
  readonly suggestion: StageOutcome | null;
}

/** Stages of one CRM, or of all. */
export async function readStages(tx: Tx, profileId: string, channel?: Channel): Promise<StageDefinition[]> {
  const { rows } = await sql<StageDefinition>`
    SELECT id, channel, pipeline_id AS "pipelineId", stage_id AS "stageId", name, conversion_type AS "eventKey",
      mapping_source AS source, created_at AS "createdAt", updated_at AS "updatedAt"
    FROM definitions
    WHERE profile_id = ${profileId} AND kind = 'pipeline_stage' AND (${channel ?? null}::text IS NULL OR channel = ${channel ?? null})
    ORDER BY created_at, key LIMIT ${limits.stages.max}`.execute(tx);
  return rows;
}

/**
 * Creates a definition for each new stage, as suggested or `unmapped`. Existing stages keep their outcome, even if the suggestion changed, and
 * their name is updated.
 */
export async function upsertStages(
  tx: Tx,
  profileId: string,
  channel: Channel,
  found: readonly FoundStage[],
  now: Date,
): Promise<StageDefinition[]> {
  if (found.length > 0) {
    const rows = found.slice(0, limits.stages.max).map((stage) => ({
      profile_id: profileId,
      id: uuid(),
      // Goal keys cannot contain slashes, so the keys never collide.
      key: `${channel}/${stage.pipelineId}/${stage.stageId}`,
      name: stage.name,
      kind: 'pipeline_stage',
      channel,
      pipeline_id: stage.pipelineId,
      stage_id: stage.stageId,
      conversion_type: stage.suggestion ?? 'unmapped',
      mapping_source: stage.suggestion ? 'suggested' : 'engine_default',
      counts_as_cash: false,
      is_attribution_eligible: true,
      lookback_window_days: limits.lookback.days.default,
      is_default: false,
      created_at: now,
      updated_at: now,
    }));
    await tx
      .insertInto('definitions')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['profile_id', 'key'])
          .doUpdateSet((row) => ({ name: row.ref('excluded.name') }))
          .where('definitions.name', '<>', (row) => row.ref('excluded.name')),
      )
      .execute();
  }
  return readStages(tx, profileId, channel);
}

/**
 * Maps stages that no user has decided on and that were stored without a suggestion. Resolves to whether one was mapped.
 */
export async function applyStageSuggestions(
  tx: Tx,
  profileId: string,
  channel: Channel,
  found: readonly FoundStage[],
  now: Date,
): Promise<boolean> {
  const suggested = found.slice(0, limits.stages.max).flatMap(({ suggestion, ...stage }) => {
    return suggestion ? [{ key: `${channel}/${stage.pipelineId}/${stage.stageId}`, suggestion }] : [];
  });
  if (suggested.length === 0) return false;
  const { rows } = await sql`
    UPDATE definitions d SET conversion_type = s.suggestion, mapping_source = 'suggested', updated_at = ${now}
    FROM unnest(${suggested.map(({ key }) => key)}::text[], ${suggested.map(({ suggestion }) => suggestion)}::text[]) AS s (key, suggestion)
    WHERE d.profile_id = ${profileId} AND d.key = s.key AND d.kind = 'pipeline_stage'
      AND d.conversion_type = 'unmapped' AND d.mapping_source = 'engine_default'
    RETURNING 1`.execute(tx);
  return rows.length > 0;
}

/** Stores a member's choice for a stage. Resolves to whether the outcome changed. */
export async function mapStage(
  tx: Tx,
  profileId: string,
  stage: StageDefinition,
  eventKey: StageOutcome,
  now: Date,
): Promise<boolean> {
  if (stage.eventKey === eventKey && stage.source === 'user') return false;
  await tx
    .updateTable('definitions')
    .set({ conversion_type: eventKey, mapping_source: 'user', updated_at: now })
    .where('profile_id', '=', profileId)
    .where('id', '=', stage.id)
    .execute();
  return stage.eventKey !== eventKey;
}
