import type { Tx } from '@tributary/postgres';
import { type Json, recordedCauses } from '@tributary/rules';
import type { CauseKind, UncountedReason } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { markCustomersDirty, markDirty } from './mark-dirty.ts';
import { sourceOf } from './sale-sources.ts';

/** A payment as one source reported it, counted or not. */
export interface LedgerRecord {
  readonly id: string;
  readonly key: string;
  readonly source: string;
  readonly customerId: string | null;
  /** Whether it has a customer or a visitor. */
  readonly isIdentified: boolean;
  readonly amount: string;
  readonly currency: string;
  readonly at: Date;
  readonly externalId: string | null;
  readonly properties: Json;
  /** Its customer was erased, and so were the references in its message. */
  readonly isErased: boolean;
  readonly uncounted: UncountedReason | null;
  readonly duplicateOf: string | null;
}

/** Those of the outcomes that are payments. */
export async function listSaleRecords(tx: Tx, profileId: string, ids: readonly string[]): Promise<LedgerRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<LedgerRecord>`
    SELECT o.* FROM unnest(${[...ids]}::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT o.id, o.idempotency_key AS key, ${sourceOf} AS source, o.customer_id AS "customerId",
        (o.customer_id IS NOT NULL OR o.visitor_id IS NOT NULL) AS "isIdentified", o.erased_at IS NOT NULL AS "isErased", trim_scale(o.amount)::text AS amount,
        o.currency, o.occurred_at AS at, o.external_id AS "externalId", o.rest->'properties' AS properties, o.uncounted,
        o.duplicate_of AS "duplicateOf"
      FROM outcome_meanings o
      WHERE o.profile_id = ${profileId} AND o.id >= wanted.id AND o.id <= wanted.id AND o.is_cash_record AND o.amount > 0
      ORDER BY o.id OFFSET 0) o`.execute(tx);
  return rows;
}

/**
 * Payments with the same customer, amount and currency as `records`, within `windowMs` of them. ORDER BY makes the planner use the index by
 * customer.
 */
export async function findNeighbours(
  tx: Tx,
  profileId: string,
  records: readonly LedgerRecord[],
  windowMs: number,
  limit: number,
): Promise<string[]> {
  const named = records.filter(({ customerId }) => customerId !== null);
  if (named.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT o.id
    FROM unnest(
      ${named.map(({ customerId }) => customerId)}::uuid[], ${named.map(({ amount }) => amount)}::numeric[],
      ${named.map(({ currency }) => currency)}::text[], ${named.map(({ at }) => at)}::timestamptz[]
    ) AS n (customer_id, amount, currency, at)
    CROSS JOIN LATERAL (
      SELECT id FROM outcomes o
      WHERE o.profile_id = ${profileId} AND o.customer_id = n.customer_id AND o.amount = n.amount AND o.currency = n.currency
        AND o.occurred_at BETWEEN n.at - make_interval(secs => ${windowMs / 1000}) AND n.at + make_interval(secs => ${windowMs / 1000})
      ORDER BY o.occurred_at LIMIT ${limit}) o`.execute(tx);
  return rows.map(({ id }) => id);
}

export interface CountedChange {
  readonly id: string;
  readonly uncounted: UncountedReason | null;
  readonly duplicateOf: string | null;
  /** It was not matched yet, and so was in no report. */
  readonly wasPending: boolean;
}

/** Writes which records count, and marks conversions and customers dirty, from which reports, attribution and first payments are updated. */
export async function saveCounted(tx: Tx, profileId: string, changes: readonly CountedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const ordered = changes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const { rows } = await sql<{ customerId: string | null }>`
    WITH locked AS MATERIALIZED (
      SELECT id FROM outcomes WHERE profile_id = ${profileId} AND id = ANY (${ordered.map(({ id }) => id)}::uuid[])
      ORDER BY idempotency_key FOR UPDATE)
    UPDATE outcomes o SET uncounted = n.uncounted, duplicate_of = n.duplicate_of
    FROM unnest(
      ${ordered.map(({ id }) => id)}::uuid[], ${ordered.map(({ uncounted }) => uncounted)}::text[],
      ${ordered.map(({ duplicateOf }) => duplicateOf)}::uuid[]
    ) AS n (id, uncounted, duplicate_of)
    JOIN locked ON locked.id = n.id
    WHERE o.profile_id = ${profileId} AND o.id = n.id
    RETURNING o.customer_id AS "customerId"`.execute(tx);
  // The counted record is credited to the touchpoints of its duplicates, so it is dirty too.
  const counted = ordered.flatMap(({ duplicateOf }) => duplicateOf ?? []);
  await markDirty(
    tx,
    profileId,
    new Map([
      ...counted.map((id) => [id, ['match']] as const),
      ...ordered.map((one) => [one.id, causesOfChange(one)] as const),
    ]),
  );
  await markCustomersDirty(
    tx,
    profileId,
    rows.flatMap(({ customerId }) => customerId ?? []),
  );
}

const causesOfChange = ({ wasPending, uncounted }: CountedChange): readonly CauseKind[] =>
  wasPending && uncounted === null ? recordedCauses : ['match'];

/** Duplicates by counted record, for the sales that the payments belong to. A duplicate is resolved to its counted record. */
export async function findSaleMembers(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; duplicateOf: string }>`
    WITH counted AS MATERIALIZED (
      SELECT coalesce(duplicate_of, id) AS id FROM outcomes WHERE profile_id = ${profileId} AND id = ANY (${[...new Set(ids)]}::uuid[]))
    SELECT DISTINCT o.id, o.duplicate_of AS "duplicateOf" FROM counted c
    JOIN outcomes o ON o.profile_id = ${profileId} AND o.duplicate_of = c.id ORDER BY o.id`.execute(tx);
  const sales = Map.groupBy(rows, ({ duplicateOf }) => duplicateOf);
  return new Map([...sales].map(([counted, duplicates]) => [counted, duplicates.map(({ id }) => id)]));
}

export async function findCurrencies(tx: Tx, profileId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; currency: string }>`
    SELECT id, currency FROM outcomes WHERE profile_id = ${profileId} AND id = ANY (${[...ids]}::uuid[]) AND currency IS NOT NULL`.execute(
    tx,
  );
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}
