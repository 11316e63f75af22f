import { isServed } from '@tributary/domain/tenants';
import type { Item, QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { runSync, type SyncStores } from './run-sync.ts';
import { afterPause } from './schedule.ts';
import { failInternally, findSync, putOffSync } from './sync-store.ts';

interface SyncItem extends Item {
  readonly profileId: string;
}

/** The connections of an archived profile are checked this often, so that they are synced again once it is restored. */
const archivedRetryMs = 15 * 60_000;

/** A sync that is due within this time keeps its turn; the regular search of the worker finds later ones. */
const keepTurnMs = 60_000;

const nothing = { items: [], isMore: false };

/** Reads connections that are due. The key is the connection, so one is read by one worker at a time, and a slow provider delays its own. */
export const syncs = (stores: SyncStores): QueueHandler<SyncItem> => ({
  async take(connectionId) {
    const found = await findSync(stores.system, connectionId, stores.now());
    if (!found) return nothing;
    const waitMs = found.dueAt.getTime() - stores.now().getTime();
    if (waitMs > 0) return waitMs > keepTurnMs ? nothing : { ...nothing, laterSeconds: waitMs / 1_000 };
    if (found.pausedUntil) {
      await putOffSync(stores.system, connectionId, afterPause(connectionId, found.pausedUntil));
      return nothing;
    }
    const { profileId } = found;
    if (!(await stores.app.forProfile(profileId).transaction((tx) => isServed(tx, profileId), { readOnly: true }))) {
      await putOffSync(stores.system, connectionId, new Date(stores.now().getTime() + archivedRetryMs));
      return nothing;
    }
    return { items: [{ id: connectionId, profileId }], isMore: false };
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
