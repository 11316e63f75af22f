import type { Routes } from '@tributary/contract';
import { lastSequence } from '@tributary/domain/tenancy/events';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { mintSecret, sealSecrets } from './secrets.ts';
import type { WebhookServices } from './services.ts';
import { insertSubscription, listSubscriptions, lockSubscriptions } from './store.ts';
import { assertForApp, assertPublic, toSubscriptionResponse } from './subscription.ts';

const { most } = limits.webhooks;

export const createWebhookSubscription: Handles<Routes['createWebhookSubscription'], WebhookServices> = async (
  { body },
  { caller, effect, now, vault, webhookTargets, addToAudit },
) => {
  const { profileId, appId = null } = caller;
  assertForApp(caller, body.events);
  await assertPublic(webhookTargets, body.url);
  const id = uuid();
  const secret = mintSecret();
  return effect(async (tx) => {
    await lockSubscriptions(tx, profileId);
    if ((await listSubscriptions(tx, profileId, {})).length >= most) {
      refuse('invalid_state', `A profile has up to ${most} webhook subscriptions. Delete one first.`, {
        fields: { reason: 'too_many_subscriptions' },
      });
    }
    const row = await insertSubscription(tx, {
      profile_id: profileId,
      id,
      app_id: appId,
      url: body.url,
      events: body.events,
      providers: body.providers,
      secrets: sealSecrets(vault, { profileId, id }, [{ secret, until: null }]),
      position: await lastSequence(tx, profileId),
      created_at: now,
      updated_at: now,
    });
    addToAudit({ detail: { app_id: appId, events: body.events, providers: body.providers } });
    return answer(201, { data: { ...toSubscriptionResponse(row), secret }, meta: {} });
  });
};
