import { type LoggedEvent, listEventsAfter } from '@tributary/domain/tenancy/events';
import type { Postgres, Tx } from '@tributary/postgres';
import type { DeliveryStatus } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { matchingEvents, type Since } from '../since.ts';
import type { DeliveryRow, SubscriptionRow } from '../store.ts';
import type { AttemptRecord } from './delivery-response.ts';

/** Queries of a queue batch. */

export interface Work {
  readonly profileId: string;
  readonly version: string;
}

export async function findWork(system: Postgres, subscriptionId: string): Promise<Work | undefined> {
  const { rows } = await system.unbound.query(sql<Work>`
    SELECT profile_id AS "profileId", version FROM webhook_work WHERE subscription_id = ${subscriptionId}`);
  return rows[0];
}

/** Removes the work marker unless more work was added since it was read. */
export async function removeWork(tx: Tx, subscriptionId: string, { profileId, version }: Work): Promise<void> {
  await sql`
    DELETE FROM webhook_work
    WHERE profile_id = ${profileId} AND subscription_id = ${subscriptionId} AND version = ${version}::bigint`.execute(
    tx,
  );
}

/** Postpones the work marker unless more work was added since it was read. */
export async function postponeWork(
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

/** Due deliveries, longest overdue first. */
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

/** Cancels waiting deliveries of a deleted subscription. Returns their number. */
export async function cancelDeliveries(
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

/** Creates deliveries for the next events that match the subscription, in the order of the log. */
export async function fanOut(
  tx: Tx,
  subscription: SubscriptionRow,
  now: Date,
  limit: number,
): Promise<{ row: DeliveryRow; event: LoggedEvent }[]> {
  const { profile_id, id: subscription_id, position, since } = subscription;
  const streams = matchingEvents(subscription).map((type) => ({
    type,
    after: later(position, (since as Since)[type]),
  }));
  const events = await listEventsAfter(tx, profile_id, streams, limit);
  const last = events.at(-1);
  if (!last) return [];
  const created = events.map((event) => ({
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
  const column = (name: 'id' | 'event_id' | 'event_type' | 'sequence') => created.map(({ row }) => row[name]);
  await sql`
    INSERT INTO webhook_deliveries (profile_id, id, subscription_id, event_id, event_type, sequence, status, due_at, created_at, touched_at)
    SELECT ${profile_id}, id, ${subscription_id}, event_id, event_type, sequence, 'waiting', ${now}, ${now}, ${now}
    FROM unnest(${column('id')}::uuid[], ${column('event_id')}::uuid[], ${column('event_type')}::text[], ${column('sequence')}::bigint[])
      AS n (id, event_id, event_type, sequence)`.execute(tx);
  await sql`
    UPDATE webhook_subscriptions SET position = ${last.sequence}::bigint
    WHERE profile_id = ${profile_id} AND id = ${subscription_id}`.execute(tx);
  return created;
}

const later = (position: string, since = '0'): string => (BigInt(since) > BigInt(position) ? since : position);

/** The result of a delivery in a batch. */
export interface DeliveryResult {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly dueAt: Date | null;
  readonly attempts: number;
  readonly log: readonly AttemptRecord[];
}

export async function saveResults(
  tx: Tx,
  profileId: string,
  results: readonly DeliveryResult[],
  now: Date,
): Promise<void> {
  if (results.length === 0) return;
  await sql`
    UPDATE webhook_deliveries d SET status = s.status, due_at = s."dueAt", attempts = s.attempts, attempt_log = s.log, touched_at = ${now}
    FROM jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
      AS s (id uuid, status text, "dueAt" timestamptz, attempts smallint, log jsonb)
    WHERE d.profile_id = ${profileId} AND d.id = s.id`.execute(tx);
}

/** Runs under the role that processes the queues. */
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
