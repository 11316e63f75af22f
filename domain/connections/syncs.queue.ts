import type { Item, QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { runSync, type SyncStores } from './run-sync.ts';
import { afterPause } from './schedule.ts';
import { failInternally, findDue, putOffPaused } from './sync-store.ts';

interface SyncItem extends Item {
  readonly profileId: string;
}

const nothing = { items: [], isMore: false };

/** Reads connections that are due. The key is the connection, so one is read by one worker at a time, and a slow provider delays its own. */
export const syncs = (stores: SyncStores): QueueHandler<SyncItem> => ({
  async take(connectionId) {
    const due = await findDue(stores.system, connectionId, stores.now());
    if (!due) return nothing;
    if (due.pausedUntil) {
      await putOffPaused(stores.system, connectionId, afterPause(connectionId, due.pausedUntil));
      return nothing;
    }
    return { items: [{ id: connectionId, profileId: due.profileId }], isMore: false };
  },
  async work({ items, signal }) {
    for (const { id, profileId } of items) await runSync(stores, profileId, id, signal);
  },
  // An internal error: the operator sees its cause in the list of set-aside work, and the sync is tried again, ever later.
  setAside: (tx, connectionId) => failInternally(tx, connectionId, stores.now()),
  putBack: async (tx, connectionId) => {
    await sql`UPDATE syncs SET due_at = '-infinity', state = 'queued' WHERE connection_id = ${connectionId}`.execute(
      tx,
    );
  },
});
