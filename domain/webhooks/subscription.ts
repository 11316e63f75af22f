import type { EventName, EventProvider } from '@tributary/contract';
import { type Caller, refuse } from '@tributary/operations';
import type { Outbound } from '@tributary/outbound';
import type { WebhookDisabledReason, WebhookStatus } from '@tributary/vocabulary';
import type { Owner, SubscriptionRow } from './store.ts';

export function showSubscription(row: SubscriptionRow) {
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

/** An app sees what is its own; everybody else of the profile sees all. */
export const ownerOf = ({ appId }: Caller): Owner => ({ appId });

export const noSuchSubscription = (): never => refuse('not_found', 'There is no such subscription.');

/** Where an app's events go, and what signs them, is between it and us: nobody else may forge or divert them. */
export function assertOwn({ appId }: Caller, row: SubscriptionRow): void {
  if (row.app_id !== (appId ?? null))
    refuse('forbidden', 'This subscription belongs to an app. You may test, disable or delete it.', {
      fields: { reason: 'subscription_of_app' },
    });
}

/** Before anything is written, and again at every delivery: where a name leads may change. */
export async function assertPublic(outbound: Pick<Outbound, 'checkTarget'>, url: string): Promise<void> {
  const check = await outbound.checkTarget(url);
  if (!check.allowed)
    refuse('validation_error', `The field "url" cannot be used. ${check.message}`, { fields: { field: 'url' } });
}

/** An outcome names somebody, and leaves under the grant of an app. */
export function assertForApp({ appId }: Caller, events: readonly string[]): void {
  if (!appId && events.includes('outcome.recorded'))
    refuse('validation_error', 'The field "events" names outcome.recorded, which is delivered to apps only.', {
      fields: { field: 'events' },
    });
}
