import type { QueueHandler } from '@tributary/work';
import { deliver } from './delivery/deliver.ts';
import { type Item, takeTurn } from './delivery/take-turn.ts';
import { setStatus } from './delivery/turn-store.ts';
import type { WebhookStores } from './services.ts';
import { markWork } from './store.ts';

/**
 * Sends what subscriptions asked for. The key is the subscription, so a receiver that is slow or away costs nobody else his turn. All of
 * it may happen twice: a delivery has the same id however often it is sent.
 */
export const webhooks = (stores: WebhookStores): QueueHandler<Item> => ({
  take: (subscriptionId, limit) => takeTurn(stores, subscriptionId, limit),
  work: (batch) => deliver(stores, batch),
  setAside: (tx, _subscriptionId, { turn, row }) =>
    setStatus(tx, [{ profileId: turn.profileId, deliveryId: row.id }], 'set_aside'),
  putBack: async (tx, subscriptionId, ids) => {
    const items = ids.map((id) => {
      const [profileId = '', deliveryId = ''] = id.split('/');
      return { profileId, deliveryId };
    });
    await setStatus(tx, items, 'waiting');
    for (const profileId of new Set(items.map((item) => item.profileId))) await markWork(tx, profileId, subscriptionId);
  },
});
