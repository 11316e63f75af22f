import { isActiveProfile } from '@tributary/domain/tenancy/tenants';
import type { Item, QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { runSync, type SyncStores } from './run-sync.ts';
import { resumeAfterPause } from './schedule.ts';
import { failInternally, findSync, postponeSync } from './sync-store.ts';

interface SyncItem extends Item {
  readonly profileId: string;
}

/** How often connections of an archived profile are checked, so that they are synced again after it is restored. */
const archivedRetryMs = 15 * 60_000;

/** A sync due within this time keeps its lease; the worker's regular search finds later ones. */
const keepLeaseMs = 60_000;

const noItems = { items: [], isMore: false };

/**
 * Syncs due connections. The queue key is the connection, so one worker at a time syncs it, and a slow provider only
 * delays its own connections.
 */
export const syncs = (stores: SyncStores): QueueHandler<SyncItem> => ({
  async load(connectionId) {
    const found = await findSync(stores.system, connectionId, stores.now());
    if (!found) return noItems;
    const waitMs = found.dueAt.getTime() - stores.now().getTime();
    if (waitMs > 0) return waitMs > keepLeaseMs ? noItems : { ...noItems, laterSeconds: waitMs / 1_000 };
    if (found.pausedUntil) {
      await postponeSync(stores.system, connectionId, resumeAfterPause(connectionId, found.pausedUntil));
      return noItems;
    }
    const { profileId } = found;
    if (
      !(await stores.app.forProfile(profileId).transaction((tx) => isActiveProfile(tx, profileId), { readOnly: true }))
    ) {
      await postponeSync(stores.system, connectionId, new Date(stores.now().getTime() + archivedRetryMs));
      return noItems;
    }
    return { items: [{ id: connectionId, profileId }], isMore: false };
  },
  async work({ items, signal }) {
    for (const { id, profileId } of items) await runSync(stores, profileId, id, signal);
  },
  // An internal error: the operator sees its cause in the list of parked work, and the sync is retried with backoff.
  park: (tx, connectionId) => failInternally(tx, connectionId, stores.now()),
  unpark: async (tx, connectionId) => {
    await sql`UPDATE syncs SET due_at = '-infinity', state = 'queued' WHERE connection_id = ${connectionId}`.execute(
      tx,
    );
  },
});
