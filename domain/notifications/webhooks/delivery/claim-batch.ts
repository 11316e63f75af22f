import { findEvents, type LoggedEvent } from '@tributary/domain/tenancy/events';
import type { LoadedItems, Item as WorkItem } from '@tributary/work';
import type { WebhookStores } from '../services.ts';
import { type DeliveryRow, lockSubscription, type SubscriptionRow } from '../store.ts';
import { cancelDeliveries, fanOut, findNextDue, findWork, listDue, postponeWork, removeWork } from './batch-store.ts';
import { eventOf } from './delivery-response.ts';
import { isUnavailable } from './receiver-state.ts';

export interface ClaimedSubscription {
  readonly profileId: string;
  readonly subscription: SubscriptionRow;
}

/** A due delivery with its event; the event is undefined once it has expired from the log. */
export interface Item extends WorkItem {
  readonly claimed: ClaimedSubscription;
  readonly row: DeliveryRow;
  readonly event: Omit<LoggedEvent, 'sequence'> | undefined;
}

const emptyBatch = { items: [], isMore: false };

/** Claims what is due for a subscription: retries first, then new events. */
export async function claimBatch(
  { app, system, now }: WebhookStores,
  subscriptionId: string,
  limit: number,
): Promise<LoadedItems<Item>> {
  // Read before anything else: a transaction that adds work later raises the version, so that its row is not removed.
  const work = await findWork(system, subscriptionId);
  if (!work) return emptyBatch;
  const { profileId } = work;
  return app.forProfile(profileId).transaction(async (tx): Promise<LoadedItems<Item>> => {
    const at = now();
    const subscription = await lockSubscription(tx, profileId, subscriptionId);
    if (!subscription) {
      const isMore = (await cancelDeliveries(tx, profileId, subscriptionId, at, limit)) === limit;
      if (!isMore) await removeWork(tx, subscriptionId, work);
      return { items: [], isMore };
    }
    if (subscription.status === 'disabled') {
      await removeWork(tx, subscriptionId, work);
      return emptyBatch;
    }
    const { paused_until: pausedUntil } = subscription;
    if (pausedUntil && pausedUntil > at) return { ...emptyBatch, retrySeconds: secondsUntil(pausedUntil, at) };
    const maxItems = isUnavailable(receiverStateOf(subscription)) ? 1 : limit;
    const due = await listDue(tx, subscription, at, maxItems);
    const fresh = due.length < maxItems ? await fanOut(tx, subscription, at, maxItems - due.length) : [];
    const claimed = { profileId, subscription };
    const logged = await findEvents(
      tx,
      profileId,
      due.flatMap(({ sequence }) => sequence ?? []),
    );
    const rows = [...due.map((row) => ({ row, event: eventOf(row, logged) })), ...fresh];
    if (rows.length > 0) {
      const items = rows.map((one) => ({ id: `${profileId}/${one.row.id}`, claimed, ...one }));
      return { items, isMore: rows.length === limit };
    }
    const next = await findNextDue(tx, subscription);
    if (!next) {
      await removeWork(tx, subscriptionId, work);
      return emptyBatch;
    }
    await postponeWork(tx, subscriptionId, work, next);
    return { ...emptyBatch, laterSeconds: secondsUntil(next, at) };
  });
}

export const receiverStateOf = (row: SubscriptionRow) => ({
  consecutiveFailures: row.consecutive_failures,
  failingSince: row.failing_since,
  pausedUntil: row.paused_until,
});

const secondsUntil = (moment: Date, now: Date): number => Math.max(0, (moment.getTime() - now.getTime()) / 1_000);
