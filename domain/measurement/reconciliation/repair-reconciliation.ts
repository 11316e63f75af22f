import type { Routes } from '@tributary/contract';
import { type ConnectionRow, listActive, restartSync } from '@tributary/domain/advertising/connections';
import { markDirty } from '@tributary/domain/commerce/outcomes';
import { listConversionsOfDay } from '@tributary/domain/measurement/attribution';
import { answer, type Handles } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type ActionOutcome, type DifferenceKind, differenceKinds } from '@tributary/vocabulary';
import { findRun } from './show.ts';
import { listOpen } from './store.ts';

/** Marks differing conversions for attribution, or restarts the sync of the provider. Writes no amounts. */
export const repairReconciliation: Handles<Routes['repairReconciliation']> = async (
  { params, query, body },
  { caller, ledger, effect, addToAudit, now },
) => {
  const { profileId } = caller;
  if (query.dry_run === 'true') {
    const { id, conversions, connections } = await ledger.transaction(find, { readOnly: true });
    const isAny = conversions.size + connections.length > 0;
    return answer(200, { data: toRepairResponse(id, isAny ? 'dry_run' : 'no_change', conversions, connections) });
  }
  return effect(async (tx) => {
    const { id, conversions, connections } = await find(tx);
    await markDirty(tx, profileId, new Map([...conversions].map((subject) => [subject, ['repair']])), id);
    for (const connection of connections) await restartSync(tx, connection, now);
    addToAudit({ detail: { kinds: body.kinds, conversions: conversions.size, connections: connections.length } });
    const isAny = conversions.size + connections.length > 0;
    return answer(200, { data: toRepairResponse(id, isAny ? 'applied' : 'no_change', conversions, connections) });
  });

  async function find(tx: Tx) {
    const { id } = await findRun(tx, profileId, params.reconciliation_id);
    const open = await listOpen(tx, profileId, id, body.kinds);
    const by = (way: (typeof differenceKinds)[DifferenceKind]['repair']) =>
      open.filter(({ kind }) => differenceKinds[kind].repair === way);
    const conversions = new Set(by('work_out').flatMap(({ id: subject }) => subject ?? []));
    // A report difference identifies only the day.
    for (const day of new Set(by('work_out_day').map((one) => one.day)))
      for (const subject of await listConversionsOfDay(tx, profileId, day)) conversions.add(subject);
    const channels = new Set(by('read').map(({ channel }) => channel));
    const connections = channels.size === 0 ? [] : await listActive(tx, profileId);
    return { id, conversions, connections: connections.filter(({ channel }) => channels.has(channel)) };
  }
};

const toRepairResponse = (
  id: string,
  outcome: ActionOutcome,
  conversions: ReadonlySet<string>,
  connections: readonly ConnectionRow[],
) => ({ id, outcome, conversions: conversions.size, connections: connections.length });
