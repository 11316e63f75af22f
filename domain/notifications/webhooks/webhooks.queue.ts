import type { QueueHandler } from '@tributary/work';
import { setStatus } from './delivery/batch-store.ts';
import { claimBatch, type Item } from './delivery/claim-batch.ts';
import { deliver } from './delivery/deliver.ts';
import type { WebhookStores } from './services.ts';
import { markWork } from './store.ts';

/**
 * Sends events to subscriptions. The queue key is the subscription, so a slow or unavailable receiver delays no other. Delivery is at least
 * once: repeated deliveries have the same id.
 */
export const webhooks = (stores: WebhookStores): QueueHandler<Item> => ({
  load: (subscriptionId, limit) => claimBatch(stores, subscriptionId, limit),
  work: (batch) => deliver(stores, batch),
  park: (tx, _subscriptionId, { claimed, row }) =>
    setStatus(tx, [{ profileId: claimed.profileId, deliveryId: row.id }], 'set_aside'),
  unpark: async (tx, subscriptionId, ids) => {
    const items = ids.map((id) => {
      const [profileId = '', deliveryId = ''] = id.split('/');
      return { profileId, deliveryId };
    });
    await setStatus(tx, items, 'waiting');
    for (const profileId of new Set(items.map((item) => item.profileId))) await markWork(tx, profileId, subscriptionId);
  },
});
