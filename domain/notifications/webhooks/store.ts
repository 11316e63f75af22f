import type { Schema, Tx } from '@tributary/postgres';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';

// ── Subscriptions ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type SubscriptionRow = Selectable<Schema['webhook_subscriptions']>;

/** Restricts to the subscriptions of one app, or none. */
export interface Owner {
  readonly appId?: string | undefined;
}

/** Ordered by creation. */
export function listSubscriptions(tx: Tx, profileId: string, { appId }: Owner): Promise<SubscriptionRow[]> {
  const rows = tx.selectFrom('webhook_subscriptions').selectAll().where('profile_id', '=', profileId).orderBy('id');
  return (appId ? rows.where('app_id', '=', appId) : rows).execute();
}

/** Locks the row against concurrent changes. */
export function lockSubscription(
  tx: Tx,
  profileId: string,
  id: string,
  { appId }: Owner = {},
): Promise<SubscriptionRow | undefined> {
  const rows = tx
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .forUpdate();
  return (appId ? rows.where('app_id', '=', appId) : rows).executeTakeFirst();
}

/** Serialises creation per profile, so that concurrent requests cannot exceed the limit. */
export async function lockSubscriptions(tx: Tx, profileId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9063))`.execute(tx);
}

export const insertSubscription = (
  tx: Tx,
  row: Insertable<Schema['webhook_subscriptions']>,
): Promise<SubscriptionRow> =>
  tx.insertInto('webhook_subscriptions').values(row).returningAll().executeTakeFirstOrThrow();

export const updateSubscription = (
  tx: Tx,
  { profile_id, id }: Pick<SubscriptionRow, 'profile_id' | 'id'>,
  changes: Updateable<Schema['webhook_subscriptions']>,
): Promise<SubscriptionRow> =>
  tx
    .updateTable('webhook_subscriptions')
    .set(changes)
    .where('profile_id', '=', profile_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function removeSubscription(tx: Tx, profileId: string, id: string): Promise<void> {
  await tx.deleteFrom('webhook_subscriptions').where('profile_id', '=', profileId).where('id', '=', id).execute();
}

// ── Deliveries ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type DeliveryRow = Selectable<Schema['webhook_deliveries']>;

export interface DeliveryFilter extends Owner {
  readonly subscriptionId: string | undefined;
  readonly status: string | undefined;
  readonly before: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listDeliveries(tx: Tx, profileId: string, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { appId, subscriptionId, status, before, limit } = filter;
  const { rows } = await sql<DeliveryRow>`
    SELECT d.* FROM webhook_deliveries d WHERE d.profile_id = ${profileId}
      ${subscriptionId ? sql`AND d.subscription_id = ${subscriptionId}` : sql``}
      ${status ? sql`AND d.status = ${status}` : sql``}
      ${status && status !== 'delivered' ? sql`AND d.status <> 'delivered'` : sql``}
      ${before ? sql`AND d.id < ${before}` : sql``}
      ${appId ? sql`AND ${isOfApp(profileId, appId)}` : sql``}
    ORDER BY d.id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

const isOfApp = (profileId: string, appId: string) => sql`d.subscription_id IN (
  SELECT s.id FROM webhook_subscriptions s WHERE s.profile_id = ${profileId} AND s.app_id = ${appId})`;

/** The app of each subscription, for those that still exist. */
export async function findApps(tx: Tx, profileId: string, ids: readonly string[]): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('webhook_subscriptions')
    .select(['id', 'app_id'])
    .where('profile_id', '=', profileId)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, app_id }) => [id, app_id]));
}

export async function lockDelivery(
  tx: Tx,
  profileId: string,
  id: string,
  { appId }: Owner,
): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    SELECT d.* FROM webhook_deliveries d WHERE d.profile_id = ${profileId} AND d.id = ${id}
      ${appId ? sql`AND ${isOfApp(profileId, appId)}` : sql``} FOR UPDATE`.execute(tx);
  return rows[0];
}

export const insertDelivery = (tx: Tx, row: Insertable<Schema['webhook_deliveries']>): Promise<DeliveryRow> =>
  tx.insertInto('webhook_deliveries').values(row).returningAll().executeTakeFirstOrThrow();

export const requeueDelivery = (tx: Tx, profileId: string, id: string, now: Date): Promise<DeliveryRow> =>
  tx
    .updateTable('webhook_deliveries')
    .set({ status: 'waiting', due_at: now, attempts: 0, touched_at: now })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Marks work for a subscription; a worker is notified when the transaction commits. */
export async function markWork(tx: Tx, profileId: string, subscriptionId: string): Promise<void> {
  await sql`
    INSERT INTO webhook_work AS w (profile_id, subscription_id) VALUES (${profileId}, ${subscriptionId})
    ON CONFLICT (subscription_id) DO UPDATE SET due_at = '-infinity', version = w.version + 1`.execute(tx);
}
