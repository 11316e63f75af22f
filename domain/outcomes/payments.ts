import type { OutcomeSource } from '@tributary/contract';
import { readDefinitions } from '@tributary/domain/definitions';
import type { Tx } from '@tributary/postgres';
import { convert, fromMinorUnits, netOf, type PaymentStanding } from '@tributary/rules';
import { isUuidInAnyCase, type UncountedReason } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';

/** Payments as the ledger has them. What they come to among others, and what merchants say of them, is the business of the room above. */

export interface LedgerPayment {
  readonly id: string;
  readonly key: string;
  readonly source: OutcomeSource;
  readonly externalId: string | null;
  readonly paidAt: Date;
  readonly amount: string;
  readonly currency: string;
  /** As it was told, which may be more than was paid. */
  readonly refunded: string;
  /** What is left of it in the currency that it is reported in. */
  readonly reportingAmount: string | null;
  readonly reportingCurrency: string | null;
  readonly rate: string | null;
  readonly rateDate: string | null;
  readonly customerId: string | null;
  readonly isPayerAssigned: boolean;
  readonly saidCustomerId: string | null;
  readonly subjectRef: string | null;
  readonly isInstallment: boolean;
  readonly isFirstPayment: boolean | null;
  readonly purchaseId: string | null;
  readonly isErased: boolean;
  /** Whether it names the ad that brought it, and so is a touch. */
  readonly isTouch: boolean;
  /** Why no report has it; null: it counts. */
  readonly uncounted: UncountedReason | null;
  /** The counted record of the same sale. */
  readonly duplicateOf: string | null;
}

const columns = sql.raw(`
  o.id, o.idempotency_key AS key, o.source, o.external_id AS "externalId", o.occurred_at AS "paidAt", o.amount::text, o.currency,
  o.refunded::text, o.reporting_amount::text AS "reportingAmount", o.reporting_currency AS "reportingCurrency", o.rate::text,
  o.rate_date::text AS "rateDate", o.customer_id AS "customerId", o.is_payer_assigned AS "isPayerAssigned",
  o.said_customer_id AS "saidCustomerId", o.subject_ref AS "subjectRef", o.is_installment AS "isInstallment",
  o.is_first_payment AS "isFirstPayment", o.purchase_id AS "purchaseId", o.erased_at IS NOT NULL AS "isErased",
  o.origin IS NOT NULL AS "isTouch", o.uncounted, o.duplicate_of AS "duplicateOf"`);

/** A payment of the profile; undefined where there is none, or what has that id counts as no cash. */
export async function findPayment(tx: Tx, profileId: string, id: string): Promise<LedgerPayment | undefined> {
  const { rows } = await sql<LedgerPayment>`
    SELECT ${columns} FROM outcome_meanings o
    WHERE o.profile_id = ${profileId} AND o.id = ${id} AND o.is_cash_record`.execute(tx);
  return rows[0];
}

export interface PaymentsAsked {
  readonly from: Date;
  readonly until: Date;
  /** The place in the list, newest first, that the page begins after. */
  readonly before: { readonly at: Date; readonly id: string };
  readonly limit: number;
  /** Only those of which nobody knows who paid. */
  readonly isUnidentified: boolean;
  /** Only those that reports count, or only those that they do not. */
  readonly isCounted?: boolean | undefined;
}

/** The newest payments before a place. Each name of a payment is followed down the index that is in this order. */
export async function listPayments(tx: Tx, profileId: string, asked: PaymentsAsked): Promise<LedgerPayment[]> {
  const { before, from, until, limit } = asked;
  const counted = asked.isCounted === undefined ? sql`` : sql`AND (o.uncounted IS NULL) = ${asked.isCounted}`;
  const place = sql`o.profile_id = ${profileId} AND o.amount IS NOT NULL AND o.occurred_at >= ${from} AND o.occurred_at < ${until}
    AND (o.occurred_at, o.id) < (${before.at}::timestamptz, ${before.id}::uuid) ${counted}`;
  const order = sql`ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${limit}`;
  const pages = asked.isUnidentified
    ? sql`SELECT o.id, o.occurred_at FROM outcome_meanings o WHERE ${place} AND o.customer_id IS NULL AND o.counts_as_cash`
    : await byNames(tx, profileId, place, order);
  const { rows } = await sql<LedgerPayment>`
    SELECT ${columns} FROM (SELECT id FROM (${pages}) o ${order}) page JOIN outcomes o ON o.profile_id = ${profileId} AND o.id = page.id
    ORDER BY o.occurred_at DESC, o.id DESC`.execute(tx);
  return rows;
}

/** Ids of the newest payments of a profile, with the newest first. */
export async function listNewestPayments(tx: Tx, profileId: string, limit: number): Promise<string[]> {
  const order = sql`ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${limit}`;
  const pages = await byNames(tx, profileId, sql`o.profile_id = ${profileId} AND o.amount > 0`, order);
  const { rows } = await sql<{ id: string }>`SELECT id FROM (${pages}) o ${order}`.execute(tx);
  return rows.map(({ id }) => id);
}

async function byNames(tx: Tx, profileId: string, place: RawBuilder<unknown>, order: RawBuilder<unknown>) {
  const definitions = await readDefinitions(tx, profileId);
  const cash = definitions.flatMap(({ eventNames, countsAsCash }) => (countsAsCash ? eventNames : []));
  const listed = definitions.flatMap(({ eventNames }) => eventNames);
  const follow = (column: 'event_key' | 'event_type_key', more: RawBuilder<unknown>) => sql`
    SELECT o.id, o.occurred_at FROM unnest(${cash}::text[]) AS e (key) CROSS JOIN LATERAL (
      SELECT o.id, o.occurred_at FROM outcomes o WHERE ${place} AND o.${sql.ref(column)} = e.key ${more} ${order}) o`;
  // A type says what an outcome is only where its name does not.
  const isByType = sql`AND o.event_type_key <> o.event_key AND o.event_key <> ALL (${listed}::text[])`;
  return sql`${follow('event_key', sql``)} UNION ALL ${follow('event_type_key', isByType)}`;
}

/** What references stand for: the key that an outcome was sent under, its id, or its provider's. Those that name none are missing. */
export async function findReferred(tx: Tx, profileId: string, refs: readonly string[]): Promise<Map<string, string>> {
  if (refs.length === 0) return new Map();
  const distinct = [...new Set(refs)];
  const ids = distinct.filter(isUuidInAnyCase);
  const { rows } = await sql<{ ref: string; id: string }>`
    SELECT DISTINCT ON (ref) ref, id FROM (
      SELECT 0 AS rank, o.idempotency_key AS ref, o.id FROM outcomes o
      WHERE o.profile_id = ${profileId} AND o.idempotency_key = ANY (${distinct}::text[])
      UNION ALL
      SELECT 1, named.ref, o.id FROM unnest(${ids}::text[]) AS named (ref)
      JOIN outcomes o ON o.profile_id = ${profileId} AND o.id = named.ref::uuid
      UNION ALL
      SELECT 2, o.external_id, o.id FROM outcomes o
      WHERE o.profile_id = ${profileId} AND o.external_id = ANY (${distinct}::text[])
    ) found ORDER BY ref, rank, id`.execute(tx);
  return new Map(rows.map(({ ref, id }) => [ref, id]));
}

/** Outcomes with money, locked until the transaction ends, in the order in which every writer locks them. */
export async function lockMoney(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, LedgerPayment>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<LedgerPayment>`
    SELECT ${columns} FROM outcomes o
    WHERE o.profile_id = ${profileId} AND o.id = ANY (${[...new Set(ids)]}::uuid[]) AND o.amount IS NOT NULL
    ORDER BY o.idempotency_key FOR UPDATE`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Writes what was given back of outcomes, which are locked. What is left is reported at the rate that the outcome was converted at. */
export async function saveRefunded(
  tx: Tx,
  profileId: string,
  changes: readonly { readonly payment: LedgerPayment; readonly refunded: string }[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return;
  const left = changes.map(({ payment: { amount, rate, reportingCurrency }, refunded }) =>
    rate === null || reportingCurrency === null
      ? null
      : fromMinorUnits(convert(netOf(amount, refunded), rate, reportingCurrency), reportingCurrency),
  );
  await sql`
    UPDATE outcomes o SET refunded = n.refunded, reporting_amount = n.net, updated_at = ${now}
    FROM unnest(
      ${changes.map(({ payment }) => payment.id)}::uuid[], ${changes.map(({ refunded }) => refunded)}::numeric[], ${left}::numeric[]
    ) AS n (id, refunded, net)
    WHERE o.profile_id = ${profileId} AND o.id = n.id`.execute(tx);
}

/** What a merchant may say of a payment beside its provider. */
export interface MerchantSays {
  readonly customerId: string | null;
  readonly isPayerAssigned: boolean;
  readonly saidCustomerId: string | null;
  readonly isInstallment: boolean;
  readonly standing: PaymentStanding | null;
}

export async function saveMerchantSays(
  tx: Tx,
  profileId: string,
  paymentId: string,
  { customerId, isPayerAssigned, saidCustomerId, isInstallment, standing }: MerchantSays,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('outcomes')
    .set({
      customer_id: customerId,
      is_payer_assigned: isPayerAssigned,
      said_customer_id: saidCustomerId,
      is_installment: isInstallment,
      is_first_payment: standing?.isFirstPayment ?? null,
      purchase_id: standing?.purchaseId ?? null,
      updated_at: now,
    })
    .where('profile_id', '=', profileId)
    .where('id', '=', paymentId)
    .execute();
}

/** Whether what a conversion owes to whom has still to be worked out. */
export async function isDirty(tx: Tx, profileId: string, outcomeId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('dirty_conversions')
    .select('outcome_id')
    .where('profile_id', '=', profileId)
    .where('outcome_id', '=', outcomeId)
    .executeTakeFirst();
  return row !== undefined;
}
