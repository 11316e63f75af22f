import type { EventName, EventProvider } from '@tributary/contract';
import { type Caller, refuse } from '@tributary/operations';
import type { Outbound } from '@tributary/outbound';
import type { WebhookDisabledReason, WebhookStatus } from '@tributary/vocabulary';
import type { Owner, SubscriptionRow } from './store.ts';

export function toSubscriptionResponse(row: SubscriptionRow) {
  return {
    id: row.id,
    app_id: row.app_id,
    url: row.url,
    events: row.events as EventName[],
    providers: row.providers as EventProvider[],
    status: row.status as WebhookStatus,
    disabled_reason: row.disabled_reason as WebhookDisabledReason | null,
    consecutive_failures: row.consecutive_failures,
    failing_since: row.failing_since?.toISOString() ?? null,
    last_delivery_at: row.last_delivery_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** An app sees only its own subscriptions; other callers see all of the profile. */
export const ownerOf = ({ appId }: Caller): Owner => ({ appId });

export const noSuchSubscription = (): never => refuse('not_found', 'There is no such subscription.');

/** Only the app itself may change the URL or secret of its subscription; others must not redirect or forge its events. */
export function assertOwn({ appId }: Caller, row: SubscriptionRow): void {
  if (row.app_id !== (appId ?? null))
    refuse('forbidden', 'This subscription belongs to an app. You may test, disable or delete it.', {
      fields: { reason: 'subscription_of_app' },
    });
}

/** Checked on every change and again at every delivery, because DNS may change. */
export async function assertPublic(outbound: Pick<Outbound, 'checkTarget'>, url: string): Promise<void> {
  const check = await outbound.checkTarget(url);
  if (!check.allowed)
    refuse('validation_error', `The field "url" cannot be used. ${check.message}`, { fields: { field: 'url' } });
}

/** Outcome events contain customer data and require the grant of an app. */
export function assertForApp({ appId }: Caller, events: readonly string[]): void {
  if (!appId && events.includes('outcome.recorded'))
    refuse('validation_error', 'The field "events" names outcome.recorded, which is delivered to apps only.', {
      fields: { field: 'events' },
    });
}
