import { suggestStage } from '@tributary/rules';
import type { CrmChannel, StageOutcome } from '@tributary/vocabulary';
import { type ConnectionRow, findConnected } from './store.ts';
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

/** Asks the CRM for the stages of its pipelines; nobody is asked where none is connected, or only a new consent helps. */
export async function askStages(asking: Asking, channel: CrmChannel): Promise<LiveStages> {
  const { ledger, caller } = asking;
  const connection = await ledger.transaction((tx) => findConnected(tx, caller.profileId, channel), { readOnly: true });
  if (!connection || connection.status === 'reconnect_required') return { connection, stages: [] };
  const pipelines = await withAccount(asking, connection.id, async ({ provider, account }, call) =>
    provider.stages?.(account, call),
  );
  const stages = (pipelines ?? []).flatMap(({ id, name, stages: inside }) =>
    inside.map((stage) => ({ pipeline: { id, name }, ...stage, suggestion: suggestStage(stage.name) })),
  );
  return { connection, stages };
}
