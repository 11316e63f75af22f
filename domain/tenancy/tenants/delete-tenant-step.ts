import { setTimeout as sleep } from 'node:timers/promises';
import { emptyTable, type Postgres, profileTables, type TenantTable, workspaceTables } from '@tributary/postgres';
import { isPassed, type StreamPosition } from '@tributary/stream';
import { dayMs } from '@tributary/vocabulary';
import {
  beginDeletion,
  countRemainingProfiles,
  type Deletion,
  findDeletion,
  removeDeletion,
  removeProfile,
  removeWorkspace,
  saveProgress,
} from './deletion-store.ts';

/** The stores that hold a tenant's data, and the functions that delete it. */
export interface DeletionStores {
  readonly app: Postgres;
  readonly system: Postgres;
  /** The end of the visit stream, and the position up to which the visit consumer has stored visits. */
  readonly log: { end(): Promise<StreamPosition>; consumedThrough(): Promise<StreamPosition> };
  /** Starts deleting a profile's rows in ClickHouse; resolves to the number of remaining rows. */
  readonly forgetColumns: (profileId: string) => Promise<number>;
  /** Removes a profile's messages from the dead letters. */
  readonly forgetLetters: (profileId: string, signal: AbortSignal) => Promise<number>;
  /** Records the deletion next to the backups, so that a restored backup does not bring the tenant back. */
  readonly keepNote?:
    | ((deleted: { readonly tenantId: string; readonly isWorkspace: boolean }) => Promise<void>)
    | undefined;
  readonly now: () => Date;
  readonly batchSize?: number;
}

/** `again`: blocked, retry later. `emptied`: all data is removed, and a check for late rows is due one day later. */
export type Step = 'again' | 'emptied' | 'done';

/** Rows deleted per transaction. Small, so that locks are short and do not delay requests. */
const rowsPerTransaction = 2_000;
const progressEveryMs = 1_000;
/** Caps the pause after each batch. The pause is as long as the batch took, so deletion uses at most half of the time. */
const longestPauseMs = 250;

/**
 * Removes an archived profile or workspace from every store, as far as possible now. Progress is stored and every step is idempotent, so an
 * interrupted run resumes.
 *
 * 1. Waits until the visit consumer has passed the end of the visit stream as of the archive. Work that began before the archive has then
 *    finished, and later work no longer finds the profile.
 * 2. Deletes from ClickHouse and the dead letters.
 * 3. Empties the PostgreSQL tables one by one, the tenant's own row last.
 * 4. Checks one day later for rows that were written late.
 */
export async function deleteTenantStep(stores: DeletionStores, tenantId: string, signal: AbortSignal): Promise<Step> {
  const deletion = await findDeletion(stores.system, tenantId);
  if (!deletion) return 'done';
  if (deletion.restorableUntil) {
    await beginDeletion(stores.app, tenantId, stores.now());
    return 'again';
  }
  if (deletion.lookAgainAt) return checkForLateRows(stores, deletion, signal);
  if (deletion.logPosition === null) await stores.keepNote?.(deletion);
  return deletion.isWorkspace
    ? deleteWorkspaceStep(stores, deletion, signal)
    : deleteProfileStep(stores, deletion, signal);
}

async function deleteProfileStep(stores: DeletionStores, deletion: Deletion, signal: AbortSignal): Promise<Step> {
  const { system, log, now } = stores;
  const { tenantId } = deletion;
  const record = (progress: Parameters<typeof saveProgress>[2]) => saveProgress(system, tenantId, progress, now());
  const position = deletion.logPosition ?? (await log.end());
  if (deletion.logPosition === null) await record({ logPosition: position });
  for (const table of queueTables)
    await emptyTable(stores, table, tenantId, rowsPerTransaction, async () => signal.throwIfAborted());
  if (!isPassed(await log.consumedThrough(), position)) return 'again';

  await record({ phase: 'columns' });
  if ((await stores.forgetColumns(tenantId)) > 0) return 'again';
  await record({ phase: 'dead letters' });
  await stores.forgetLetters(tenantId, signal);
  await emptyTables(stores, deletion, profileTables, signal);
  // An attribution batch that started before the deletion may have written rows in the meantime.
  if ((await stores.forgetColumns(tenantId)) > 0) return 'again';
  await removeProfile(stores.app, deletion);
  await record({ phase: 'looking again', isEmptied: true, lookAgainAt: new Date(now().getTime() + dayMs) });
  return 'emptied';
}

async function deleteWorkspaceStep(stores: DeletionStores, deletion: Deletion, signal: AbortSignal): Promise<Step> {
  if ((await countRemainingProfiles(stores.app, deletion.tenantId)) > 0) return 'again';
  await emptyTables(stores, deletion, workspaceTables, signal);
  await removeWorkspace(stores.app, deletion.tenantId);
  await removeDeletion(stores.system, deletion.tenantId);
  return 'done';
}

/** Deletes rows that a stalled process wrote between the last check and the removal of the profile. Nothing else would find them. */
async function checkForLateRows(stores: DeletionStores, deletion: Deletion, signal: AbortSignal): Promise<Step> {
  const { tenantId, lookAgainAt } = deletion;
  if (lookAgainAt && lookAgainAt > stores.now()) return 'emptied';
  if ((await stores.forgetColumns(tenantId)) > 0) return 'again';
  await stores.forgetLetters(tenantId, signal);
  await emptyTables(stores, deletion, tablesWithoutReference, signal);
  await removeDeletion(stores.system, tenantId);
  return 'done';
}

const queueTables = profileTables.filter(({ isQueue }) => isQueue);
/** Tables without a foreign key to the profile: their rows may outlive it. */
const tablesWithoutReference = profileTables.filter(({ owner }) => owner === 'owner_id');

async function emptyTables(
  stores: DeletionStores,
  { tenantId, rowsDeleted }: Deletion,
  tables: readonly TenantTable[],
  signal: AbortSignal,
): Promise<void> {
  const rows: Record<string, number> = { ...rowsDeleted };
  let [recordedAt, startedAt] = [0, performance.now()];
  for (const at of tables) {
    const record = () =>
      saveProgress(stores.system, tenantId, { phase: 'ledger', atTable: at.table, rowsDeleted: rows }, stores.now());
    await emptyTable(stores, at, tenantId, stores.batchSize ?? rowsPerTransaction, async (count) => {
      const endedAt = performance.now();
      rows[at.table] = (rows[at.table] ?? 0) + count;
      if (endedAt - recordedAt > progressEveryMs) {
        await record();
        recordedAt = endedAt;
      }
      await sleep(Math.min(endedAt - startedAt, longestPauseMs), undefined, { signal });
      startedAt = performance.now();
    });
    startedAt = performance.now();
  }
  await saveProgress(stores.system, tenantId, { phase: 'ledger', rowsDeleted: rows }, stores.now());
}

const pauseMs = 1_000;

/** Runs steps until the tenant is emptied. Used by commands that wait for the result. */
export async function untilEmptied(
  stores: DeletionStores,
  tenantId: string,
  signal: AbortSignal,
  progress: (phase: string) => void = () => {},
): Promise<Step> {
  for (;;) {
    const step = await deleteTenantStep(stores, tenantId, signal);
    if (step !== 'again') return step;
    progress((await findDeletion(stores.system, tenantId))?.phase ?? '');
    await sleep(pauseMs, undefined, { signal });
  }
}
