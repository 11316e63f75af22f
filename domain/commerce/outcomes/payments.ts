import type { OutcomeSource } from '@tributary/contract';
import { readDefinitions } from '@tributary/domain/commerce/definitions';
import type { Tx } from '@tributary/postgres';
import { convert, type FirstPaymentStatus, fromMinorUnits, netAmount } from '@tributary/rules';
import { isUuidInAnyCase, type UncountedReason } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';

/** Queries and writes of payment rows. First payments and merchant overrides are computed by the payments module, which depends on this one. */

export interface LedgerPayment {
  readonly id: string;
  readonly key: string;
  readonly source: OutcomeSource;
  readonly externalId: string | null;
  readonly paidAt: Date;
  readonly amount: string;
  readonly currency: string;
  /** As reported, which may exceed the amount. */
  readonly refunded: string;
  /** The net amount in the reporting currency. */
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
  /** Whether it names its ad, and so is a touchpoint itself. */
  readonly isTouch: boolean;
  /** Why reports exclude it; null if it counts. */
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

/** A payment of the profile; undefined if the id is unknown or the outcome does not count as cash. */
export async function findPayment(tx: Tx, profileId: string, id: string): Promise<LedgerPayment | undefined> {
  const { rows } = await sql<LedgerPayment>`
    SELECT ${columns} FROM outcome_meanings o
    WHERE o.profile_id = ${profileId} AND o.id = ${id} AND o.is_cash_record`.execute(tx);
  return rows[0];
}

export interface PaymentsQuery {
  readonly from: Date;
  readonly until: Date;
  /** The cursor after which the page begins, newest first. */
  readonly before: { readonly at: Date; readonly id: string };
  readonly limit: number;
  /** Only payments without a known customer. */
  readonly isUnidentified: boolean;
  /** Only counted payments, or only uncounted ones. */
  readonly isCounted?: boolean | undefined;
}

/** The newest payments after the cursor. Reads each payment event name by an index range scan in this order. */
export async function listPayments(tx: Tx, profileId: string, query: PaymentsQuery): Promise<LedgerPayment[]> {
  const { before, from, until, limit } = query;
  const counted = query.isCounted === undefined ? sql`` : sql`AND (o.uncounted IS NULL) = ${query.isCounted}`;
  const filter = sql`o.profile_id = ${profileId} AND o.amount IS NOT NULL AND o.occurred_at >= ${from} AND o.occurred_at < ${until}
    AND (o.occurred_at, o.id) < (${before.at}::timestamptz, ${before.id}::uuid) ${counted}`;
  const order = sql`ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${limit}`;
  const pages = query.isUnidentified
    ? sql`SELECT o.id, o.occurred_at FROM outcome_meanings o WHERE ${filter} AND o.customer_id IS NULL AND o.counts_as_cash`
    : await selectByEventName(tx, profileId, filter, order);
  const { rows } = await sql<LedgerPayment>`
    SELECT ${columns} FROM (SELECT id FROM (${pages}) o ${order}) page JOIN outcomes o ON o.profile_id = ${profileId} AND o.id = page.id
    ORDER BY o.occurred_at DESC, o.id DESC`.execute(tx);
  return rows;
}

/** Ids of the newest payments of a profile, with the newest first. */
export async function listNewestPayments(tx: Tx, profileId: string, limit: number): Promise<string[]> {
  const order = sql`ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${limit}`;
  const pages = await selectByEventName(tx, profileId, sql`o.profile_id = ${profileId} AND o.amount > 0`, order);
  const { rows } = await sql<{ id: string }>`SELECT id FROM (${pages}) o ${order}`.execute(tx);
  return rows.map(({ id }) => id);
}

async function selectByEventName(tx: Tx, profileId: string, filter: RawBuilder<unknown>, order: RawBuilder<unknown>) {
  const definitions = await readDefinitions(tx, profileId);
  const cash = definitions.flatMap(({ eventNames, countsAsCash }) => (countsAsCash ? eventNames : []));
  const listed = definitions.flatMap(({ eventNames }) => eventNames);
  const follow = (column: 'event_key' | 'event_type_key', more: RawBuilder<unknown>) => sql`
    SELECT o.id, o.occurred_at FROM unnest(${cash}::text[]) AS e (key) CROSS JOIN LATERAL (
      SELECT o.id, o.occurred_at FROM outcomes o WHERE ${filter} AND o.${sql.ref(column)} = e.key ${more} ${order}) o`;
  // The event type counts only if no definition lists the event name.
  const isByType = sql`AND o.event_type_key <> o.event_key AND o.event_key <> ALL (${listed}::text[])`;
  return sql`${follow('event_key', sql``)} UNION ALL ${follow('event_type_key', isByType)}`;
}

/** Resolves references to outcome ids, by idempotency key, outcome id or provider id. Unknown references are missing. */
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

/** Locks outcomes with money until the transaction ends, in the lock order of all writers. */
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

/** Writes the refunded amounts of locked outcomes. The net amount is converted at the stored rate of the outcome. */
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
      : fromMinorUnits(convert(netAmount(amount, refunded), rate, reportingCurrency), reportingCurrency),
  );
  await sql`
    UPDATE outcomes o SET refunded = n.refunded, reporting_amount = n.net, updated_at = ${now}
    FROM unnest(
      ${changes.map(({ payment }) => payment.id)}::uuid[], ${changes.map(({ refunded }) => refunded)}::numeric[], ${left}::numeric[]
    ) AS n (id, refunded, net)
    WHERE o.profile_id = ${profileId} AND o.id = n.id`.execute(tx);
}

/** What a merchant may override on a payment reported by a provider. */
export interface MerchantOverrides {
  readonly customerId: string | null;
  readonly isPayerAssigned: boolean;
  readonly saidCustomerId: string | null;
  readonly isInstallment: boolean;
  readonly standing: FirstPaymentStatus | null;
}

export async function saveMerchantOverrides(
  tx: Tx,
  profileId: string,
  paymentId: string,
  { customerId, isPayerAssigned, saidCustomerId, isInstallment, standing }: MerchantOverrides,
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

/** Whether attribution of the conversion is pending. */
export async function isDirty(tx: Tx, profileId: string, outcomeId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('dirty_conversions')
    .select('outcome_id')
    .where('profile_id', '=', profileId)
    .where('outcome_id', '=', outcomeId)
    .executeTakeFirst();
  return row !== undefined;
}
