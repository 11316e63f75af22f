import type { QueueHandler } from '@tributary/work';
import type { AdStores } from './services.ts';
import { settle } from './settle.ts';
import { type Action, findDue, nextDue, setDue } from './store.ts';

/** Finds out the result of changes whose response was lost or whose process died. */
export const adActions = (stores: AdStores): QueueHandler<Action> => ({
  async load(profileId, limit) {
    const now = stores.now();
    return stores.app.forProfile(profileId).transaction(
      async (tx) => {
        const items = await findDue(tx, profileId, now, limit + 1);
        if (items.length > 0) return { items: items.slice(0, limit), isMore: items.length > limit };
        const next = await nextDue(tx, profileId);
        const laterSeconds = next ? Math.max(1, Math.ceil((next.getTime() - now.getTime()) / 1_000)) : undefined;
        return { items: [], isMore: false, laterSeconds };
      },
      { readOnly: true },
    );
  },
  async work({ key, items, signal }) {
    for (const action of items) await settle(stores, key, action, signal);
  },
  park: (tx, profileId, { id }) => setDue(tx, profileId, id, 'infinity'),
  unpark: async (tx, profileId, ids) => {
    for (const id of ids) await setDue(tx, profileId, id, stores.now());
  },
});
