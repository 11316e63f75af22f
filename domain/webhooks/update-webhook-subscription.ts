import type { Routes } from '@tributary/contract';
import { lastSequence } from '@tributary/domain/events';
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
  showSubscription,
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
    // Anybody who may write may silence it; all else is its owner's.
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
    // What waits goes to the new address at once, and to one that is active again what happened meanwhile.
    if (row.status === 'active') await markWork(tx, caller.profileId, row.id);
    addToAudit({ detail: { changed: Object.keys(body) } });
    return answer(200, { data: showSubscription(row) });
  });
};
