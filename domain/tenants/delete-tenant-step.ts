import { setTimeout as sleep } from 'node:timers/promises';
import { emptyTable, type Postgres, profileTables, type TenantTable, workspaceTables } from '@tributary/postgres';
import { isPassed, type LogPosition } from '@tributary/stream';
import { dayMs } from '@tributary/vocabulary';
import {
  beginDeletion,
  type Deletion,
  findDeletion,
  forgetDeletion,
  noteDeletion,
  openedProfiles,
  removeProfile,
  removeWorkspace,
} from './deletion-store.ts';

/** What removes a tenant's rows from the other stores. */
export interface DeletionStores {
  readonly app: Postgres;
  readonly system: Postgres;
  /** Where the visits log ends, and how far whoever puts visits into the stores has come. */
  readonly log: { end(): Promise<LogPosition>; consumedThrough(): Promise<LogPosition> };
  /** Begins to clear the columns of a profile; resolves to how many rows are still there. */
  readonly forgetColumns: (profileId: string) => Promise<number>;
  /** Takes what is a profile's out of the dead letters. */
  readonly forgetLetters: (profileId: string, signal: AbortSignal) => Promise<number>;
  /** Keeps beside the backups what must not come back with one. */
  readonly keepNote?:
    | ((deleted: { readonly tenantId: string; readonly isWorkspace: boolean }) => Promise<void>)
    | undefined;
  readonly now: () => Date;
  readonly batchSize?: number;
}

/** `again`: it waits for something, and is to be asked again in a while. `emptied`: nothing is left but to look once more, a day later. */
export type Step = 'again' | 'emptied' | 'done';

/** Rows of one transaction: short enough to be in nobody's way. */
const rowsAtOnce = 2_000;
const noteEveryMs = 1_000;
/** For half of the time others have the ledger to themselves. */
const longestPauseMs = 250;

/**
 * Removes an archived profile or workspace from every store, as far as can be done now. How far it came is stored, and all of it may run
 * again at any point: whoever was killed goes on from there. First it waits until the consumer of visits has passed the place where the log
 * ended after the archive: whoever began before has ended by then, and whoever begins afterwards finds no such profile. Then the columns and
 * the dead letters, then the ledger table by table, the tenant's own row last; a day later it looks whether anything came after all.
 */
export async function deleteTenantStep(stores: DeletionStores, tenantId: string, signal: AbortSignal): Promise<Step> {
  const deletion = await findDeletion(stores.system, tenantId);
  if (!deletion) return 'done';
  if (deletion.restorableUntil) {
    await beginDeletion(stores.app, tenantId, stores.now());
    return 'again';
  }
  if (deletion.lookAgainAt) return lookAgain(stores, deletion, signal);
  if (deletion.logPosition === null) await stores.keepNote?.(deletion);
  return deletion.isWorkspace
    ? deleteWorkspaceStep(stores, deletion, signal)
    : deleteProfileStep(stores, deletion, signal);
}

async function deleteProfileStep(stores: DeletionStores, deletion: Deletion, signal: AbortSignal): Promise<Step> {
  const { system, log, now } = stores;
  const { tenantId } = deletion;
  const note = (what: Parameters<typeof noteDeletion>[2]) => noteDeletion(system, tenantId, what, now());
  const position = deletion.logPosition ?? (await log.end());
  if (deletion.logPosition === null) await note({ logPosition: position });
  for (const at of queues) await emptyTable(stores, at, tenantId, rowsAtOnce, async () => signal.throwIfAborted());
  if (!isPassed(await log.consumedThrough(), position)) return 'again';

  await note({ phase: 'columns' });
  if ((await stores.forgetColumns(tenantId)) > 0) return 'again';
  await note({ phase: 'dead letters' });
  await stores.forgetLetters(tenantId, signal);
  await emptyTables(stores, deletion, profileTables, signal);
  // A batch of attribution that had begun before its rows went may have ended since.
  if ((await stores.forgetColumns(tenantId)) > 0) return 'again';
  await removeProfile(stores.app, deletion);
  await note({ phase: 'looking again', isEmptied: true, lookAgainAt: new Date(now().getTime() + dayMs) });
  return 'emptied';
}

async function deleteWorkspaceStep(stores: DeletionStores, deletion: Deletion, signal: AbortSignal): Promise<Step> {
  if ((await openedProfiles(stores.app, deletion.tenantId)) > 0) return 'again';
  await emptyTables(stores, deletion, workspaceTables, signal);
  await removeWorkspace(stores.app, deletion.tenantId);
  await forgetDeletion(stores.system, deletion.tenantId);
  return 'done';
}

/** What came between the last look and the profile's end, from a process that had been away: nobody else would find it. */
async function lookAgain(stores: DeletionStores, deletion: Deletion, signal: AbortSignal): Promise<Step> {
  const { tenantId, lookAgainAt } = deletion;
  if (lookAgainAt && lookAgainAt > stores.now()) return 'emptied';
  if ((await stores.forgetColumns(tenantId)) > 0) return 'again';
  await stores.forgetLetters(tenantId, signal);
  await emptyTables(stores, deletion, withoutReference, signal);
  await forgetDeletion(stores.system, tenantId);
  return 'done';
}

const queues = profileTables.filter(({ isQueue }) => isQueue);
/** Rows that refer to no profile, and so may outlive it. */
const withoutReference = profileTables.filter(({ owner }) => owner === 'owner_id');

async function emptyTables(
  stores: DeletionStores,
  { tenantId, rowsDeleted }: Deletion,
  tables: readonly TenantTable[],
  signal: AbortSignal,
): Promise<void> {
  const rows: Record<string, number> = { ...rowsDeleted };
  let [notedAt, startedAt] = [0, performance.now()];
  for (const at of tables) {
    const note = () =>
      noteDeletion(stores.system, tenantId, { phase: 'ledger', atTable: at.table, rowsDeleted: rows }, stores.now());
    await emptyTable(stores, at, tenantId, stores.batchSize ?? rowsAtOnce, async (count) => {
      const endedAt = performance.now();
      rows[at.table] = (rows[at.table] ?? 0) + count;
      if (endedAt - notedAt > noteEveryMs) {
        await note();
        notedAt = endedAt;
      }
      await sleep(Math.min(endedAt - startedAt, longestPauseMs), undefined, { signal });
      startedAt = performance.now();
    });
    startedAt = performance.now();
  }
  await noteDeletion(stores.system, tenantId, { phase: 'ledger', rowsDeleted: rows }, stores.now());
}

const pauseMs = 1_000;

/** Step after step, until it is emptied: for a command that waits. */
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
