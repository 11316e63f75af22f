import { events, isLiveEvent, type Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { payloadOf, toDeliveryResponse } from './delivery/delivery-response.ts';
import { samplePerson } from './delivery/envelope.ts';
import { permissionOf } from './delivery/permission.ts';
import { insertDelivery, lockSubscription, markWork } from './store.ts';
import { noSuchSubscription, ownerOf } from './subscription.ts';

export const testWebhookSubscription: Handles<Routes['testWebhookSubscription']> = async (
  { params, body },
  context,
) => {
  const { caller, effect, now, addToAudit } = context;
  const { profileId } = caller;
  return effect(async (tx) => {
    const row = await lockSubscription(tx, profileId, params.id, ownerOf(caller));
    if (!row) return noSuchSubscription();
    if (row.status === 'disabled')
      refuse('invalid_state', 'The subscription is disabled, so nothing is sent to it. Enable it first.', {
        fields: { reason: 'subscription_disabled' },
      });
    const event = body.event ?? row.events.find(isLiveEvent) ?? 'recompute.completed';
    if (!isLiveEvent(event)) {
      refuse('validation_error', `The field "event" names ${event}, which never fires yet.`, {
        fields: { field: 'event' },
      });
    }
    const delivery = await insertDelivery(tx, {
      profile_id: profileId,
      id: uuid(),
      subscription_id: row.id,
      event_id: uuid(),
      event_type: event,
      test_data: JSON.stringify({ ...events[event].sample, profile_id: profileId }),
      status: 'waiting',
      due_at: now,
      created_at: now,
      touched_at: now,
    });
    await markWork(tx, profileId, row.id);
    addToAudit({ detail: { event } });
    const { seesPeople } = await permissionOf(tx, profileId, row.app_id);
    const payload = payloadOf(delivery, new Map(), row.app_id, samplePerson(seesPeople));
    return answer(202, { data: toDeliveryResponse(delivery, payload) });
  });
};
