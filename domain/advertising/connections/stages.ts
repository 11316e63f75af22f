import { applyStageSuggestions, type FoundStage, upsertStages } from '@tributary/domain/commerce/definitions';
import type { Tx } from '@tributary/postgres';
import type { Pipeline } from '@tributary/providers';
import { suggestStage } from '@tributary/rules';
import type { Channel, CrmChannel, StageOutcome } from '@tributary/vocabulary';
import { chooseConnection } from './choose-connection.ts';
import type { ConnectionRow } from './store.ts';
import type { ProviderContext } from './with-account.ts';
import { withAccount } from './with-account.ts';

/** A stage as the CRM currently returns it. */
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
 * Reads pipeline stages from the CRM of the named connection, else of the newest working one. Reads nothing if no CRM
 * is connected or a reconnect is required.
 */
export async function readStagesFromCrm(
  context: ProviderContext,
  channels: readonly CrmChannel[],
  named: string | undefined,
): Promise<LiveStages> {
  const { ledger, caller } = context;
  const request = { named, several: 'newest', field: 'invalid_parameter' } as const;
  const connection = await ledger.transaction((tx) => chooseConnection(tx, caller.profileId, channels, request), {
    readOnly: true,
  });
  if (!connection || connection.status === 'reconnect_required') return { connection, stages: [] };
  const pipelines = await withAccount(context, connection.id, async ({ provider, account }, call) =>
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
 * Stores the stages of a CRM with the meanings that their names suggest. Resolves to whether a stage that did not count
 * now counts: then its deals must be read again.
 */
export async function storeStages(
  tx: Tx,
  profileId: string,
  channel: Channel,
  pipelines: readonly Pipeline[],
  now: Date,
): Promise<boolean> {
  const found = listSuggestedStages(pipelines).map(toFoundStage);
  await upsertStages(tx, profileId, channel, found, now);
  return applyStageSuggestions(tx, profileId, channel, found, now);
}
