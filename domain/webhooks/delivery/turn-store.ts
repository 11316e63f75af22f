import { type LoggedEvent, listEventsAfter } from '@tributary/domain/events';
import type { Postgres, Tx } from '@tributary/postgres';
import type { DeliveryStatus } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { type Since, toldOf } from '../since.ts';
import type { DeliveryRow, SubscriptionRow } from '../store.ts';
import type { KeptAttempt } from './show-delivery.ts';

/** What a turn of the queue reads and writes. */

export interface Work {
  readonly profileId: string;
  readonly version: string;
}

export async function findWork(system: Postgres, subscriptionId: string): Promise<Work | undefined> {
  const { rows } = await system.unbound.query(sql<Work>`
    SELECT profile_id AS "profileId", version FROM webhook_work WHERE subscription_id = ${subscriptionId}`);
  return rows[0];
}

/** Nothing is left to do, unless somebody left something since it was looked at. */
export async function removeWork(tx: Tx, subscriptionId: string, { profileId, version }: Work): Promise<void> {
  await sql`
    DELETE FROM webhook_work
    WHERE profile_id = ${profileId} AND subscription_id = ${subscriptionId} AND version = ${version}::bigint`.execute(
    tx,
  );
}

/** Nothing is left to do before a moment, unless somebody left something since. */
export async function putOffWork(
  tx: Tx,
  subscriptionId: string,
  { profileId, version }: Work,
  until: Date,
): Promise<void> {
  await sql`
    UPDATE webhook_work SET due_at = ${until}
    WHERE profile_id = ${profileId} AND subscription_id = ${subscriptionId} AND version = ${version}::bigint`.execute(
    tx,
  );
}

/** What waits and is due, those first that have been due longest. */
export async function listDue(
  tx: Tx,
  { profile_id, id }: SubscriptionRow,
  now: Date,
  limit: number,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    SELECT * FROM webhook_deliveries
    WHERE profile_id = ${profile_id} AND subscription_id = ${id} AND status = 'waiting' AND due_at <= ${now}
    ORDER BY due_at, id LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function findNextDue(tx: Tx, { profile_id, id }: SubscriptionRow): Promise<Date | undefined> {
  const { rows } = await sql<{ due: Date | null }>`
    SELECT min(due_at) AS due FROM webhook_deliveries
    WHERE profile_id = ${profile_id} AND subscription_id = ${id} AND status = 'waiting'`.execute(tx);
  return rows[0]?.due ?? undefined;
}

/** The subscription is gone: what waits for it is given up. Resolves to how many. */
export async function giveUp(
  tx: Tx,
  profileId: string,
  subscriptionId: string,
  now: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, touched_at = ${now}
    WHERE profile_id = ${profileId} AND id IN (
      SELECT id FROM webhook_deliveries
      WHERE profile_id = ${profileId} AND subscription_id = ${subscriptionId} AND status = 'waiting' LIMIT ${limit})`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0);
}

/** The next events that the subscription asked for become deliveries, in the order of their numbers. */
export async function fanOut(
  tx: Tx,
  subscription: SubscriptionRow,
  now: Date,
  limit: number,
): Promise<{ row: DeliveryRow; event: LoggedEvent }[]> {
  const { profile_id, id: subscription_id, position, since } = subscription;
  const wanted = toldOf(subscription).map((type) => ({ type, after: later(position, (since as Since)[type]) }));
  const events = await listEventsAfter(tx, profile_id, wanted, limit);
  const last = events.at(-1);
  if (!last) return [];
  const made = events.map((event) => ({
    event,
    row: {
      profile_id,
      id: uuid(),
      subscription_id,
      event_id: event.id,
      event_type: event.type,
      sequence: event.sequence,
      test_data: null,
      status: 'waiting',
      due_at: now,
      attempts: 0,
      attempt_log: [],
      created_at: now,
      touched_at: now,
    } satisfies DeliveryRow,
  }));
  const column = (name: 'id' | 'event_id' | 'event_type' | 'sequence') => made.map(({ row }) => row[name]);
  await sql`
    INSERT INTO webhook_deliveries (profile_id, id, subscription_id, event_id, event_type, sequence, status, due_at, created_at, touched_at)
    SELECT ${profile_id}, id, ${subscription_id}, event_id, event_type, sequence, 'waiting', ${now}, ${now}, ${now}
    FROM unnest(${column('id')}::uuid[], ${column('event_id')}::uuid[], ${column('event_type')}::text[], ${column('sequence')}::bigint[])
      AS n (id, event_id, event_type, sequence)`.execute(tx);
  await sql`
    UPDATE webhook_subscriptions SET position = ${last.sequence}::bigint
    WHERE profile_id = ${profile_id} AND id = ${subscription_id}`.execute(tx);
  return made;
}

const later = (position: string, since = '0'): string => (BigInt(since) > BigInt(position) ? since : position);

/** A delivery as a turn leaves it. */
export interface Settled {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly dueAt: Date | null;
  readonly attempts: number;
  readonly log: readonly KeptAttempt[];
}

export async function saveSettled(tx: Tx, profileId: string, settled: readonly Settled[], now: Date): Promise<void> {
  if (settled.length === 0) return;
  await sql`
    UPDATE webhook_deliveries d SET status = s.status, due_at = s."dueAt", attempts = s.attempts, attempt_log = s.log, touched_at = ${now}
    FROM jsonb_to_recordset(${JSON.stringify(settled)}::jsonb)
      AS s (id uuid, status text, "dueAt" timestamptz, attempts smallint, log jsonb)
    WHERE d.profile_id = ${profileId} AND d.id = s.id`.execute(tx);
}

/** As the role that works the queues. */
export async function setStatus(
  tx: Tx,
  items: readonly { readonly profileId: string; readonly deliveryId: string }[],
  status: 'set_aside' | 'waiting',
): Promise<void> {
  await sql`
    UPDATE webhook_deliveries d SET status = ${status}, due_at = CASE WHEN ${status} = 'waiting' THEN now() END
    FROM unnest(${items.map((item) => item.profileId)}::uuid[], ${items.map((item) => item.deliveryId)}::uuid[]) AS i (profile_id, id)
    WHERE d.profile_id = i.profile_id AND d.id = i.id`.execute(tx);
}
