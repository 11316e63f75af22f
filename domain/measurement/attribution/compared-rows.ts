import { findDays } from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';
import { dayOf } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { conversionValues, definition, isEligible, minorUnits } from './ledger-rows.ts';

/** Reads conversions from the ledger, by groups and row by row, in the form in which they are compared with ClickHouse. */

export interface Span {
  readonly profileId: string;
  readonly from: Date;
  readonly until: Date;
  readonly timeZone: string;
  readonly currency: string;
}

export interface LedgerRow {
  readonly id: string;
  /** A day and one of its id groups, as one number. */
  readonly bucket: number;
  /** In minor units. */
  readonly money: string;
  readonly definitionId: string;
  /** A checksum of id and value: it changes when either does. */
  readonly sum: string;
}

/** Enough groups that a difference needs few rows read, and few enough to be summed quickly. */
export const bucketsOfDay = 256;

export const dayOfBucket = (bucket: number): string => dayOf(new Date(Math.floor(bucket / bucketsOfDay) * dayMs));

/** The last 32 bits of an id. Two ids with the same bits are in the same group and are excluded from it together. */
export const markOf = (id: string): number => Number.parseInt(id.slice(-8), 16);

/** The same in PostgreSQL. Both engines compute it, and everything derived from it, without hashing. */
const mark = "('x' || right(o.id::text, 8))::bit(32)::bigint";
const bucket = `(day * ${bucketsOfDay} + mark % ${bucketsOfDay})::int`;
const checksum = 'mark * ((value + 1) % 2147483647)';

/** The conversions that attribution reads from the ledger: value and definition. */
function ledgerRows({ profileId, from, until, timeZone, currency }: Span) {
  const values = conversionValues('o.occurred_at', isEligible, {
    currency: `'${currency}'`,
    units: minorUnits(currency),
  });
  return sql`
    SELECT o.id, (o.occurred_at AT TIME ZONE ${timeZone})::date - '1970-01-01'::date AS day, ${sql.raw(mark)} AS mark, ${sql.raw(values[8] ?? '')} AS value,
      d.id AS definition_id
    FROM outcomes o ${sql.raw(definition)}
    WHERE o.profile_id = ${profileId} AND ${sql.raw(isEligible)} AND o.occurred_at >= ${from} AND o.occurred_at < ${until}`;
}

export type LedgerGroup = Omit<LedgerRow, 'id'> & { readonly conversions: string };

export const listLedgerGroups = (span: Span) => sql<LedgerGroup>`
  SELECT ${sql.raw(bucket)} AS bucket, definition_id AS "definitionId", count(*)::text AS conversions, sum(value)::text AS money,
    sum(${sql.raw(checksum)})::text AS sum
  FROM (${ledgerRows(span)}) AS one GROUP BY 1, definition_id`;

const columnsOfRow = sql.raw(
  `one.id, ${bucket} AS bucket, one.value::text AS money, one.definition_id AS "definitionId", (${checksum})::text AS sum`,
);

export const listOfIds = (span: Span, ids: readonly string[]) =>
  sql<LedgerRow>`SELECT ${columnsOfRow} FROM (${ledgerRows(span)} AND o.id = ANY (${[...ids]}::uuid[])) AS one`;

export async function listOfBuckets(
  tx: Tx,
  span: Span,
  buckets: readonly number[],
  limit: number,
): Promise<Map<string, LedgerRow & { readonly isMarked: boolean }>> {
  const { rows } = await sql<LedgerRow & { isMarked: boolean }>`
    SELECT ${columnsOfRow}, d.outcome_id IS NOT NULL AS "isMarked"
    FROM (${ledgerRows(span)}) AS one
    LEFT JOIN dirty_conversions d ON d.profile_id = ${span.profileId} AND d.outcome_id = one.id
    WHERE ${sql.raw(bucket)} = ANY (${[...buckets]}::int[]) LIMIT ${limit}`.execute(tx);
  return byId(rows);
}

/** Maximum conversions of a day to attribute again; the next run finds the rest. */
const maxPerDay = 200_000;

/** The conversions that the ledger has for a day. */
export async function listConversionsOfDay(tx: Tx, profileId: string, day: string): Promise<string[]> {
  const days = await findDays(tx, profileId, day, day);
  const { rows } = await sql<{ id: string }>`
    SELECT one.id FROM (${ledgerRows({ profileId, ...days })}) AS one LIMIT ${maxPerDay}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function listMarked(tx: Tx, profileId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT outcome_id AS id FROM dirty_conversions WHERE profile_id = ${profileId} AND outcome_id = ANY (${[...ids]}::uuid[])`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

const idsPerQuery = 10_000;

export async function inChunks<Found>(
  ids: readonly string[],
  read: (some: readonly string[]) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < ids.length; from += idsPerQuery)
    found.push(...(await read(ids.slice(from, from + idsPerQuery))));
  return found;
}

export const byId = <Row extends { readonly id: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]));
