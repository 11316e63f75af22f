import type { OutcomeSource } from '@tributary/contract';
import type { Schema, Tx } from '@tributary/postgres';
import type { FirstPaymentStatus, Identifier, Json, Origin, OutcomeContent } from '@tributary/rules';
import type { CauseKind, UncountedReason } from '@tributary/vocabulary';
import { type Selectable, sql } from 'kysely';
import { insertDirtyMarks } from './mark-dirty.ts';
import type { ReadEvent } from './read-event.ts';

/** A stored outcome. */
export interface StoredOutcome extends OutcomeContent {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly isInstallment: boolean;
  /** Null if it is no payment. */
  readonly standing: FirstPaymentStatus | null;
  /** When the customer's data in it was erased. */
  readonly erasedAt: Date | null;
  /** The ad or click that its message names, if any. */
  readonly origin: Origin | null;
  /** The refunded amount as reported, in its currency. */
  readonly refunded: string;
  /** Set if a merchant assigned the payer: the customer that the message named. `customerId` is then the payer. */
  readonly payer: { readonly saidCustomerId: string | null } | null;
  /** The strongest identifier in its message. */
  readonly named: Identifier | null;
  /** Why reports exclude it; null if it counts. */
  readonly uncounted: UncountedReason | null;
}

/** Stored outcomes by key, locked until the transaction ends. */
export async function findOutcomes(
  tx: Tx,
  profileId: string,
  keys: readonly string[],
): Promise<Map<string, StoredOutcome>> {
  // One index lookup per key, in order. With a single condition for all keys, a cached plan may scan the whole profile.
  const { rows } = await sql<
    Selectable<
      Pick<
        Schema['outcomes'],
        | 'id'
        | 'idempotency_key'
        | 'event_name'
        | 'event_type'
        | 'occurred_at'
        | 'amount'
        | 'currency'
        | 'subject_ref'
        | 'rest'
        | 'customer_id'
        | 'is_installment'
        | 'is_first_payment'
        | 'purchase_id'
        | 'erased_at'
        | 'origin'
        | 'refunded'
        | 'is_payer_assigned'
        | 'said_customer_id'
        | 'named_kind'
        | 'named_value'
        | 'uncounted'
      >
    >
  >`
    SELECT o.* FROM (${inOrder(keys)}) AS k CROSS JOIN LATERAL (
      SELECT id, idempotency_key, event_name, event_type, occurred_at, amount, currency, subject_ref, rest, customer_id, is_installment,
        is_first_payment, purchase_id, erased_at, origin, refunded, is_payer_assigned, said_customer_id, named_kind, named_value, uncounted
      FROM outcomes WHERE profile_id = ${profileId} AND idempotency_key >= k.key AND idempotency_key <= k.key
      ORDER BY idempotency_key LIMIT 1 FOR UPDATE) o`.execute(tx);
  return new Map(
    rows.map((row) => [
      row.idempotency_key,
      {
        id: row.id,
        idempotencyKey: row.idempotency_key,
        eventName: row.event_name,
        eventType: row.event_type,
        occurredAt: row.occurred_at,
        money: row.amount === null || row.currency === null ? null : { amount: row.amount, currency: row.currency },
        subjectRef: row.subject_ref,
        rest: row.rest as Record<string, Json>,
        customerId: row.customer_id,
        isInstallment: row.is_installment,
        standing:
          row.is_first_payment === null ? null : { isFirstPayment: row.is_first_payment, purchaseId: row.purchase_id },
        erasedAt: row.erased_at,
        origin: row.origin as Origin | null,
        refunded: row.refunded,
        payer: row.is_payer_assigned ? { saidCustomerId: row.said_customer_id } : null,
        named:
          row.named_kind === null || row.named_value === null
            ? null
            : { kind: row.named_kind as Identifier['kind'], value: row.named_value },
        uncounted: row.uncounted as UncountedReason | null,
      },
    ]),
  );
}

/** Avoids unnest for a single key: PostgreSQL estimates ten rows for any array and would not use a generic plan. */
const inOrder = ([only, ...others]: readonly string[]) =>
  others.length === 0
    ? sql`SELECT ${only}::text COLLATE "C" AS key`
    : sql`SELECT DISTINCT key COLLATE "C" AS key FROM unnest(${[only, ...others]}::text[]) AS key ORDER BY 1`;

/** Those of the keys whose outcomes belong to erased customers. */
export async function findErasedKeys(tx: Tx, profileId: string, keys: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('outcomes')
    .select('idempotency_key')
    .where('profile_id', '=', profileId)
    .where('idempotency_key', 'in', [...keys])
    .where('erased_at', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.idempotency_key));
}

export interface OutcomeRow extends StoredOutcome {
  readonly eventKey: string;
  readonly eventTypeKey: string;
  readonly reporting: Reporting | null;
  /** The visitor that sent it. */
  readonly visitorId: string | undefined;
  readonly source: OutcomeSource;
  /** The connection of the provider that reported it. */
  readonly connectionId: string | null;
  readonly provided: ReadEvent['provided'];
  /** When it was reported. */
  readonly reportedAt: Date;
}

/** An amount in the reporting currency, with the rate used. */
export interface Reporting {
  readonly amount: string;
  readonly currency: string;
  readonly rate: string;
  readonly rateDate: string;
}

const toColumns = (profileId: string, row: OutcomeRow) => ({
  profile_id: profileId,
  id: row.id,
  idempotency_key: row.idempotencyKey,
  event_name: row.eventName,
  event_type: row.eventType,
  event_key: row.eventKey,
  event_type_key: row.eventTypeKey,
  customer_id: row.customerId,
  ...(row.visitorId && { visitor_id: row.visitorId }),
  occurred_at: row.occurredAt,
  recorded_at: row.reportedAt,
  updated_at: row.reportedAt,
  amount: row.money?.amount ?? null,
  currency: row.money?.currency ?? null,
  reporting_amount: row.reporting?.amount ?? null,
  reporting_currency: row.reporting?.currency ?? null,
  rate: row.reporting?.rate ?? null,
  rate_date: row.reporting?.rateDate ?? null,
  subject_ref: row.subjectRef,
  is_first_payment: row.standing?.isFirstPayment ?? null,
  purchase_id: row.standing?.purchaseId ?? null,
  rest: row.rest,
  origin: row.origin,
  named_kind: row.named?.kind ?? null,
  named_value: row.named?.value ?? null,
  region: typeof row.rest.region === 'string' ? row.rest.region : null,
  erased_at: row.erasedAt,
  source: row.source,
  connection_id: row.connectionId,
  external_id: row.provided?.externalId ?? null,
  uncounted: row.uncounted,
});

const names = [
  'profile_id',
  'id',
  'idempotency_key',
  'event_name',
  'event_type',
  'event_key',
  'event_type_key',
  'customer_id',
  'visitor_id',
  'occurred_at',
  'recorded_at',
  'updated_at',
  'amount',
  'currency',
  'reporting_amount',
  'reporting_currency',
  'rate',
  'rate_date',
  'subject_ref',
  'is_first_payment',
  'purchase_id',
  'rest',
  'origin',
  'named_kind',
  'named_value',
  'region',
  'erased_at',
  'source',
  'connection_id',
  'external_id',
  'uncounted',
] as const satisfies readonly (keyof ReturnType<typeof toColumns>)[];

/**
 * Inserts new outcomes and marks conversions dirty in the same statement. Resolves to the number inserted, which is lower if a concurrent
 * transaction has recorded one of them since it was read.
 */
export async function insertOutcomes(
  tx: Tx,
  profileId: string,
  rows: readonly OutcomeRow[],
  causes: ReadonlyMap<string, readonly CauseKind[]>,
): Promise<number> {
  if (rows.length === 0) return 0;
  // Sorted by key, so that two batches with common keys cannot deadlock.
  const ordered = rows.toSorted((a, b) => (a.idempotencyKey < b.idempotencyKey ? -1 : 1));
  // As JSON, so that the statement has the same text and one parameter for any number of rows.
  const outcomes = sql`
    INSERT INTO outcomes (${sql.raw(names.join())})
    SELECT ${sql.raw(names.map((name) => `r.${name}`).join())}
    FROM jsonb_populate_recordset(NULL::outcomes, ${JSON.stringify(ordered.map((row) => toColumns(profileId, row)))}::jsonb) AS r
    ON CONFLICT (profile_id, idempotency_key) DO NOTHING RETURNING 1`;
  const marks = causes.size === 0 ? sql`` : sql`, marks AS (${insertDirtyMarks(profileId, causes)})`;
  const { rows: counted } = await sql<{ n: number }>`
    WITH fresh AS (${outcomes}) ${marks} SELECT count(*)::int AS n FROM fresh`.execute(tx);
  return counted[0]?.n ?? 0;
}

/** Updates an outcome. Its first source and time of report stay. */
export async function updateOutcome(tx: Tx, profileId: string, row: OutcomeRow): Promise<void> {
  const { recorded_at, source, connection_id, external_id, uncounted, rest, ...columns } = toColumns(profileId, row);
  await tx
    .updateTable('outcomes')
    .set({
      ...columns,
      rest: JSON.stringify(rest),
      refunded: row.refunded,
      said_customer_id: row.payer?.saidCustomerId ?? null,
      // If the customer or identifier in the message changed, the outcome no longer counts as moved by a merge.
      moved_from: sql`CASE WHEN customer_id IS NOT DISTINCT FROM ${row.customerId}::uuid
        AND (named_kind, named_value) IS NOT DISTINCT FROM (${row.named?.kind ?? null}::text, ${row.named?.value ?? null}::text) THEN moved_from END`,
    })
    .where('profile_id', '=', profileId)
    .where('id', '=', row.id)
    .execute();
}

/** The app subscribed to provider outcomes of this transaction's profile; null if there is none. */
export async function findOutcomeSubscriber(tx: Tx): Promise<string | null> {
  const { rows } = await sql<{ app: string | null }>`SELECT find_outcome_subscriber() AS app`.execute(tx);
  return rows[0]?.app ?? null;
}

/** Net original amounts of outcomes, with the rates of their conversion. */
export async function findOriginals(tx: Tx, profileId: string, outcomeIds: readonly string[]) {
  const { rows } = await sql<{
    id: string;
    amount: string | null;
    currency: string | null;
    rate: string | null;
    rateDate: string | null;
  }>`
    SELECT id, trim_scale(greatest(amount - refunded, 0))::text AS amount, currency, rate::text, rate_date::text AS "rateDate" FROM outcomes
    WHERE profile_id = ${profileId} AND id = ANY (${outcomeIds}::uuid[])`.execute(tx);
  return new Map(rows.map(({ id, ...original }) => [id, original]));
}
