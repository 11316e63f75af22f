import { randomUUID } from 'node:crypto';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/**
 * What the version before the newest migrations sends to PostgreSQL for the requests that come most, statement by statement and in its order of
 * locks. Its code cannot run beside ours, its statements can: whatever they meet while the schema changes under them, it would have met.
 */

/** The last migration that it knows. With a new release this and the statements below become those of the release before. */
export const lastMigration = '0052_freshness';

export interface Place {
  readonly profileId: string;
}

/** POST /events: a payment of a customer who is known by an e-mail address. */
export async function recordPayment(tx: Tx, { profileId }: Place, email: string): Promise<void> {
  await sql`SELECT time_zone, reporting_currency, archived_at FROM profiles WHERE id = ${profileId}`.execute(tx);
  await sql`SELECT d.*, array(SELECT event_key FROM definition_events e WHERE e.profile_id = d.profile_id AND e.definition_id = d.id)
    FROM definitions d WHERE d.profile_id = ${profileId}`.execute(tx);
  const { rows: found } = await sql<{ id: string }>`
    SELECT i.customer_id AS id FROM identifiers i
    LEFT JOIN LATERAL (SELECT erased_at FROM tombstones WHERE profile_id = ${profileId} AND hash = '\\x00' LIMIT 1) t ON true
    WHERE i.profile_id = ${profileId} AND i.kind = 'email' AND i.value = ${email}`.execute(tx);
  const customerId = found[0]?.id;
  if (!customerId) throw new Error(`${email} is nobody's.`);
  await sql`SELECT id, created_at, first_name, last_name, primary_email, primary_phone, sources, terms, first_seen_at, last_seen_at
    FROM customers WHERE id = ${customerId} AND merged_into IS NULL ORDER BY id FOR NO KEY UPDATE`.execute(tx);
  await sql`
    INSERT INTO customers (profile_id, id, first_name, last_name, primary_email, primary_phone, sources, terms,
      first_seen_at, last_seen_at, created_at)
    SELECT profile_id, id, first_name, last_name, primary_email, primary_phone, sources, terms, first_seen_at, now(), created_at
    FROM customers WHERE profile_id = ${profileId} AND id = ${customerId}
    ON CONFLICT (profile_id, id) DO UPDATE SET last_seen_at = excluded.last_seen_at`.execute(tx);
  const key = randomUUID();
  await sql`SELECT id, origin FROM outcomes WHERE profile_id = ${profileId} AND idempotency_key IN (${key})
    ORDER BY idempotency_key FOR UPDATE`.execute(tx);
  await sql`SELECT * FROM exchange_rate('EUR', 'USD', current_date)`.execute(tx);
  const outcome = {
    ...{ profile_id: profileId, id: randomUUID(), idempotency_key: key, customer_id: customerId },
    ...{ event_name: 'payment_received', event_type: 'payment_received' },
    ...{ event_key: 'payment_received', event_type_key: 'payment_received' },
    ...{ occurred_at: new Date(), recorded_at: new Date(), updated_at: new Date() },
    ...{ amount: '1', currency: 'USD', reporting_amount: '1', reporting_currency: 'USD', rate: '1' },
    ...{ rate_date: '2026-01-01', is_first_payment: false, rest: {}, source: 'api' },
  };
  const names = Object.keys(outcome);
  await sql`
    INSERT INTO outcomes (${sql.raw(names.join())}) SELECT ${sql.raw(names.map((name) => `r.${name}`).join())}
    FROM jsonb_populate_recordset(NULL::outcomes, ${JSON.stringify([outcome])}::jsonb) AS r
    ON CONFLICT (profile_id, idempotency_key) DO NOTHING RETURNING idempotency_key`.execute(tx);
  await markDirty(tx, profileId, [outcome.id], 'outcome_recorded');
}

const markDirty = (tx: Tx, profileId: string, ids: readonly string[], cause: string) =>
  sql`
    INSERT INTO dirty_conversions (profile_id, outcome_id, cause)
    SELECT ${profileId}, id, ${cause} FROM unnest(${ids}::uuid[]) AS id ORDER BY id
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), cause = excluded.cause`.execute(
    tx,
  );

/** POST /customers: two customers turn out to be one. */
export async function mergeCustomers(
  tx: Tx,
  { profileId }: Place,
  loserId: string,
  survivorId: string,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM customers WHERE id = ANY (${[loserId, survivorId]}::uuid[]) AND merged_into IS NULL ORDER BY id FOR NO KEY UPDATE`.execute(
    tx,
  );
  if (rows.length < 2) return false;
  await sql`UPDATE identifiers SET customer_id = ${survivorId}, moved_from = coalesce(moved_from, customer_id)
    WHERE customer_id = ${loserId}`.execute(tx);
  await sql`UPDATE customers SET merged_into = ${survivorId} WHERE id = ${loserId}`.execute(tx);
  await sql`INSERT INTO merges (profile_id, loser_id, survivor_id, merged_at, source, said_kinds)
    VALUES (${profileId}, ${loserId}, ${survivorId}, now(), 'import', '{email}')`.execute(tx);
  return true;
}

/** What the pipeline of visits does after a visit. */
export async function markTouched(tx: Tx, { profileId }: Place, visitorId: string): Promise<void> {
  await sql`SELECT mark_touched(ARRAY[${profileId}]::uuid[], ARRAY[${visitorId}]::uuid[], ARRAY[now() - interval '1 day'])`.execute(
    tx,
  );
}

/** GET /customers, and the outcomes of one of them. */
export async function readCustomers(tx: Tx, { profileId }: Place, after: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT * FROM customers WHERE profile_id = ${profileId} AND id > ${after} AND merged_into IS NULL ORDER BY id LIMIT 50`.execute(
    tx,
  );
  await sql`SELECT * FROM outcomes WHERE profile_id = ${profileId} AND customer_id = ${rows[0]?.id ?? after}
    ORDER BY occurred_at, id LIMIT 100`.execute(tx);
}

/** POST /spend: a day of an ad, under a new name. */
export async function renameAd(tx: Tx, { profileId }: Place, adId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9021))`.execute(tx);
  await sql`UPDATE ad_entities SET name = ${randomUUID()}, revision = revision + 1
    WHERE profile_id = ${profileId} AND id = ${adId}`.execute(tx);
}

/** What a batch of attribution holds open while it copies: a snapshot that reads for seconds. */
export async function readForLong(tx: Tx, { profileId }: Place, seconds: number): Promise<void> {
  await sql`SELECT outcome_id, cause FROM dirty_conversions WHERE profile_id = ${profileId} LIMIT 10`.execute(tx);
  await sql`SELECT count(*) FROM (SELECT FROM outcomes o JOIN customers c ON c.profile_id = o.profile_id AND c.id = o.customer_id
    WHERE o.profile_id = ${profileId} LIMIT 1000) read_ahead`.execute(tx);
  await sql`SELECT pg_sleep(${seconds})`.execute(tx);
}
