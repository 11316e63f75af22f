import type { Routes } from '@tributary/contract';
import { findEvents } from '@tributary/domain/tenancy/events';
import { answer, type Handles, refuse } from '@tributary/operations';
import { eventOf, payloadOf, toDeliveryResponse } from './delivery/delivery-response.ts';
import { lockDelivery, lockSubscription, markWork, requeueDelivery } from './store.ts';
import { ownerOf } from './subscription.ts';

export const replayWebhookDelivery: Handles<Routes['replayWebhookDelivery']> = async ({ params }, context) => {
  const { caller, effect, now } = context;
  const { profileId } = caller;
  return effect(async (tx) => {
    const row = await lockDelivery(tx, profileId, params.id, ownerOf(caller));
    if (!row) return refuse('not_found', 'There is no such delivery.');
    const subscription = await lockSubscription(tx, profileId, row.subscription_id);
    if (subscription?.status !== 'active')
      return refuse('invalid_state', 'Its subscription is disabled or deleted, so nothing is sent to it.', {
        fields: { reason: 'subscription_disabled' },
      });
    const logged = await findEvents(tx, profileId, row.sequence === null ? [] : [row.sequence]);
    if (!eventOf(row, logged))
      return refuse('invalid_state', 'The event of this delivery is no longer kept.', {
        fields: { reason: 'event_expired' },
      });
    const again = await requeueDelivery(tx, profileId, row.id, now);
    await markWork(tx, profileId, row.subscription_id);
    return answer(202, { data: toDeliveryResponse(again, payloadOf(again, logged, subscription.app_id)) });
  });
};
