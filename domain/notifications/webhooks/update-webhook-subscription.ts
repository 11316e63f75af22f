import type { Routes } from '@tributary/contract';
import { lastSequence } from '@tributary/domain/tenancy/events';
import { answer, type Handles } from '@tributary/operations';
import type { WebhookServices } from './services.ts';
import { sinceAfter } from './since.ts';
import { lockSubscription, markWork, updateSubscription } from './store.ts';
import {
  assertForApp,
  assertOwn,
  assertPublic,
  noSuchSubscription,
  ownerOf,
  toSubscriptionResponse,
} from './subscription.ts';

export const updateWebhookSubscription: Handles<
  Routes['updateWebhookSubscription'],
  Pick<WebhookServices, 'webhookTargets'>
> = async ({ params, body }, { caller, effect, now, webhookTargets, addToAudit }) => {
  const { url, events, providers, status } = body;
  if (events) assertForApp(caller, events);
  if (url) await assertPublic(webhookTargets, url);
  return effect(async (tx) => {
    const before = await lockSubscription(tx, caller.profileId, params.id, ownerOf(caller));
    if (!before) return noSuchSubscription();
    // Every caller with write access may disable it; all other changes require the owner.
    if (url || events || providers || status === 'active') assertOwn(caller, before);
    const fresh = { consecutive_failures: 0, failing_since: null, paused_until: null };
    const row = await updateSubscription(tx, before, {
      updated_at: now,
      ...(url && { url, ...fresh }),
      ...(events && { events }),
      ...(providers && { providers }),
      ...((events || providers) && {
        since: JSON.stringify(
          sinceAfter(
            before,
            { events: events ?? before.events, providers: providers ?? before.providers },
            await lastSequence(tx, caller.profileId),
          ),
        ),
      }),
      ...(status === 'disabled' && before.status === 'active' && { status, disabled_reason: 'by_hand' }),
      ...(status === 'active' && { status, disabled_reason: null, ...fresh }),
    });
    // Waiting deliveries go to the new URL at once, and a re-enabled subscription receives what happened meanwhile.
    if (row.status === 'active') await markWork(tx, caller.profileId, row.id);
    addToAudit({ detail: { changed: Object.keys(body) } });
    return answer(200, { data: toSubscriptionResponse(row) });
  });
};
