import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { lockSubscription, markWork, removeSubscription } from './store.ts';
import { noSuchSubscription, ownerOf } from './subscription.ts';

export const deleteWebhookSubscription: Handles<Routes['deleteWebhookSubscription']> = async ({ params }, context) => {
  const { caller, effect } = context;
  return effect(async (tx) => {
    const row = await lockSubscription(tx, caller.profileId, params.id, ownerOf(caller));
    if (!row) return noSuchSubscription();
    await removeSubscription(tx, caller.profileId, row.id);
    // A worker cancels the waiting deliveries, because there may be many.
    await markWork(tx, caller.profileId, row.id);
    return answer(200, { data: { id: row.id, deleted: true as const } });
  });
};
