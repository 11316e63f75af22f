import { findEvents, type LoggedEvent } from '@tributary/domain/events';
import type { Taken, Item as WorkItem } from '@tributary/work';
import type { WebhookStores } from '../services.ts';
import { type DeliveryRow, lockSubscription, type SubscriptionRow } from '../store.ts';
import { eventOf } from './show-delivery.ts';
import { isAway } from './standing.ts';
import { fanOut, findNextDue, findWork, giveUp, listDue, putOffWork, removeWork } from './turn-store.ts';

export interface Turn {
  readonly profileId: string;
  readonly subscription: SubscriptionRow;
}

/** A delivery that is due, and its event; undefined once the log has let it go. */
export interface Item extends WorkItem {
  readonly turn: Turn;
  readonly row: DeliveryRow;
  readonly event: Omit<LoggedEvent, 'sequence'> | undefined;
}

const nothing = { items: [], isMore: false };

/** What is due for a subscription: what is to be tried again, then what happened since. */
export async function takeTurn(
  { app, system, now }: WebhookStores,
  subscriptionId: string,
  limit: number,
): Promise<Taken<Item>> {
  // Before anything else is looked at: whoever leaves something later raises the version.
  const work = await findWork(system, subscriptionId);
  if (!work) return nothing;
  const { profileId } = work;
  return app.forProfile(profileId).transaction(async (tx): Promise<Taken<Item>> => {
    const at = now();
    const subscription = await lockSubscription(tx, profileId, subscriptionId);
    if (!subscription) {
      const isMore = (await giveUp(tx, profileId, subscriptionId, at, limit)) === limit;
      if (!isMore) await removeWork(tx, subscriptionId, work);
      return { items: [], isMore };
    }
    if (subscription.status === 'disabled') {
      await removeWork(tx, subscriptionId, work);
      return nothing;
    }
    const { paused_until: pausedUntil } = subscription;
    if (pausedUntil && pausedUntil > at) return { ...nothing, againSeconds: secondsUntil(pausedUntil, at) };
    const most = isAway(standingOf(subscription)) ? 1 : limit;
    const due = await listDue(tx, subscription, at, most);
    const fresh = due.length < most ? await fanOut(tx, subscription, at, most - due.length) : [];
    const turn = { profileId, subscription };
    const logged = await findEvents(
      tx,
      profileId,
      due.flatMap(({ sequence }) => sequence ?? []),
    );
    const rows = [...due.map((row) => ({ row, event: eventOf(row, logged) })), ...fresh];
    if (rows.length > 0) {
      const items = rows.map((one) => ({ id: `${profileId}/${one.row.id}`, turn, ...one }));
      return { items, isMore: rows.length === limit };
    }
    const next = await findNextDue(tx, subscription);
    if (!next) {
      await removeWork(tx, subscriptionId, work);
      return nothing;
    }
    await putOffWork(tx, subscriptionId, work, next);
    return { ...nothing, laterSeconds: secondsUntil(next, at) };
  });
}

export const standingOf = (row: SubscriptionRow) => ({
  consecutiveFailures: row.consecutive_failures,
  failingSince: row.failing_since,
  pausedUntil: row.paused_until,
});

const secondsUntil = (moment: Date, now: Date): number => Math.max(0, (moment.getTime() - now.getTime()) / 1_000);
