import type { Tx } from '@tributary/postgres';
import type { ReportedRefund } from '@tributary/rules';
import type { PaymentAction, RefundKind, RefundStatus } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface StoredRefund extends ReportedRefund {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly paymentRef: string;
  readonly paymentId: string | null;
  readonly refundedAt: Date;
}

const columns = sql.raw(`
  id, idempotency_key AS "idempotencyKey", payment_ref AS "paymentRef", payment_id AS "paymentId", kind, status, amount::text, currency,
  refunded_at AS "refundedAt"`);

/** Reads refunds by key and locks them until the transaction ends. */
export async function findRefunds(tx: Tx, profileId: string, keys: readonly string[]): Promise<StoredRefund[]> {
  const { rows } = await sql<StoredRefund>`
    SELECT ${columns} FROM payment_refunds WHERE profile_id = ${profileId} AND idempotency_key = ANY (${[...keys]}::text[])
    ORDER BY idempotency_key FOR UPDATE`.execute(tx);
  return rows;
}

/**
 * Inserts refunds and updates existing ones by key. If two transactions insert the same new key, the second overwrites
 * the first.
 */
export async function saveRefunds(
  tx: Tx,
  profileId: string,
  refunds: readonly StoredRefund[],
  { source, now }: { readonly source: string; readonly now: Date },
): Promise<void> {
  if (refunds.length === 0) return;
  const rows = refunds
    .toSorted((a, b) => (a.idempotencyKey < b.idempotencyKey ? -1 : 1))
    .map((one) => ({
      profile_id: profileId,
      id: one.id,
      idempotency_key: one.idempotencyKey,
      payment_ref: one.paymentRef,
      payment_id: one.paymentId,
      kind: one.kind,
      status: one.status,
      amount: one.amount,
      currency: one.currency,
      refunded_at: one.refundedAt,
      recorded_at: now,
      updated_at: now,
      source,
    }));
  await sql`
    INSERT INTO payment_refunds SELECT * FROM jsonb_populate_recordset(NULL::payment_refunds, ${JSON.stringify(rows)}::jsonb)
    ON CONFLICT (profile_id, idempotency_key) DO UPDATE SET payment_ref = excluded.payment_ref, payment_id = excluded.payment_id,
      kind = excluded.kind, status = excluded.status, amount = excluded.amount, currency = excluded.currency,
      refunded_at = excluded.refunded_at, updated_at = excluded.updated_at`.execute(tx);
}

/** Refunds reported by providers, by payment. */
export async function findRefundsOf(
  tx: Tx,
  profileId: string,
  paymentIds: readonly string[],
): Promise<Map<string, ReportedRefund[]>> {
  if (paymentIds.length === 0) return new Map();
  const { rows } = await sql<{
    paymentId: string;
    kind: RefundKind;
    status: RefundStatus;
    amount: string;
    currency: string | null;
  }>`
    SELECT payment_id AS "paymentId", kind, status, amount::text, currency FROM payment_refunds
    WHERE profile_id = ${profileId} AND payment_id = ANY (${[...paymentIds]}::uuid[])`.execute(tx);
  return Map.groupBy(rows, ({ paymentId }) => paymentId);
}

/** Locks the given refunds that still have no payment. */
export async function listWaiting(tx: Tx, profileId: string, ids: readonly string[]): Promise<StoredRefund[]> {
  const { rows } = await sql<StoredRefund>`
    SELECT ${columns} FROM payment_refunds WHERE profile_id = ${profileId} AND id = ANY (${[...ids]}::uuid[]) AND payment_id IS NULL
    ORDER BY idempotency_key FOR UPDATE`.execute(tx);
  return rows;
}

export async function settleWaiting(
  tx: Tx,
  profileId: string,
  settled: readonly { readonly id: string; readonly paymentId: string }[],
  now: Date,
): Promise<void> {
  await sql`
    UPDATE payment_refunds r SET payment_id = n.payment_id, updated_at = ${now}
    FROM unnest(${settled.map(({ id }) => id)}::uuid[], ${settled.map(({ paymentId }) => paymentId)}::uuid[]) AS n (id, payment_id)
    WHERE r.profile_id = ${profileId} AND r.id = n.id`.execute(tx);
}

export interface PaymentEntry {
  readonly id: string;
  readonly paymentId: string;
  readonly action: PaymentAction;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly payerId: string | null;
  readonly actorKind: string;
  readonly actorId: string;
  readonly requestId: string;
  readonly at: Date;
}

export async function addEntry(tx: Tx, profileId: string, entry: PaymentEntry): Promise<void> {
  await tx
    .insertInto('payment_entries')
    .values({
      profile_id: profileId,
      id: entry.id,
      payment_id: entry.paymentId,
      action: entry.action,
      amount: entry.amount,
      currency: entry.currency,
      payer_id: entry.payerId,
      actor_kind: entry.actorKind,
      actor_id: entry.actorId,
      request_id: entry.requestId,
      at: entry.at,
    })
    .execute();
}

const entryColumns = sql.raw(`
  id, payment_id AS "paymentId", action, amount::text, currency, payer_id AS "payerId", actor_kind AS "actorKind", actor_id AS "actorId",
  request_id AS "requestId", at`);

/** Newest first. Ids are ordered by time, because actions on one payment are serialised by its lock. */
export async function listEntries(
  tx: Tx,
  profileId: string,
  paymentId: string,
  limit: number,
): Promise<PaymentEntry[]> {
  const { rows } = await sql<PaymentEntry>`
    SELECT ${entryColumns} FROM payment_entries WHERE profile_id = ${profileId} AND payment_id = ${paymentId}
    ORDER BY id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

/** The merchants' current entries of a payment: the last one on a refund and the last one on the payer. */
export interface CurrentEntries {
  readonly refund: PaymentEntry | null;
  readonly payer: PaymentEntry | null;
}

export async function findCurrentEntries(
  tx: Tx,
  profileId: string,
  paymentIds: readonly string[],
): Promise<Map<string, CurrentEntries>> {
  if (paymentIds.length === 0) return new Map();
  const { rows } = await sql<PaymentEntry>`
    SELECT DISTINCT ON (payment_id, action LIKE 'payer%') ${entryColumns} FROM payment_entries
    WHERE profile_id = ${profileId} AND payment_id = ANY (${[...paymentIds]}::uuid[]) AND action NOT LIKE 'installment%'
    ORDER BY payment_id, action LIKE 'payer%', id DESC`.execute(tx);
  const byPayment = Map.groupBy(rows, ({ paymentId }) => paymentId);
  return new Map(
    [...byPayment].map(([id, entries]) => [
      id,
      {
        refund: entries.find(({ action }) => action === 'refund_recorded') ?? null,
        payer: entries.find(({ action }) => action === 'payer_assigned') ?? null,
      },
    ]),
  );
}
