import { applyStageSuggestions, type FoundStage, keepStages } from '@tributary/domain/definitions';
import type { Tx } from '@tributary/postgres';
import type { Pipeline } from '@tributary/providers';
import { suggestStage } from '@tributary/rules';
import type { Channel, CrmChannel, StageOutcome } from '@tributary/vocabulary';
import { chooseConnection } from './choose-connection.ts';
import type { ConnectionRow } from './store.ts';
import type { Asking } from './with-account.ts';
import { withAccount } from './with-account.ts';

/** A stage as the CRM tells of it at this moment. */
export interface LiveStage {
  readonly pipeline: { readonly id: string; readonly name: string };
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly suggestion: StageOutcome | null;
}

export interface LiveStages {
  readonly connection: ConnectionRow | undefined;
  readonly stages: readonly LiveStage[];
}

/**
 * Reads the stages of the pipelines from the CRM: of the named connection, else of the newest one that works. Nothing is read where none is
 * connected, or only a new consent helps.
 */
export async function askStages(
  asking: Asking,
  channels: readonly CrmChannel[],
  named: string | undefined,
): Promise<LiveStages> {
  const { ledger, caller } = asking;
  const request = { named, several: 'newest', field: 'invalid_parameter' } as const;
  const connection = await ledger.transaction((tx) => chooseConnection(tx, caller.profileId, channels, request), {
    readOnly: true,
  });
  if (!connection || connection.status === 'reconnect_required') return { connection, stages: [] };
  const pipelines = await withAccount(asking, connection.id, async ({ provider, account }, call) =>
    provider.stages?.(account, call),
  );
  return { connection, stages: listSuggestedStages(pipelines ?? []) };
}

const listSuggestedStages = (pipelines: readonly Pipeline[]): LiveStage[] =>
  pipelines.flatMap(({ id, name, stages }) =>
    stages.map((stage) => ({ pipeline: { id, name }, ...stage, suggestion: suggestStage(stage.name) })),
  );

export const toFoundStage = ({ pipeline, id, name, suggestion }: LiveStage): FoundStage => ({
  pipelineId: pipeline.id,
  stageId: id,
  name: `${pipeline.name}: ${name}`,
  suggestion,
});

/**
 * Stores the stages of a CRM with what their names suggest. Resolves to whether a stage that counted as nothing counts now: then the
 * deals in it have to be read again.
 */
export async function storeStages(
  tx: Tx,
  profileId: string,
  channel: Channel,
  pipelines: readonly Pipeline[],
  now: Date,
): Promise<boolean> {
  const found = listSuggestedStages(pipelines).map(toFoundStage);
  await keepStages(tx, profileId, channel, found, now);
  return applyStageSuggestions(tx, profileId, channel, found, now);
}
