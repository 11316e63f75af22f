import type { ClickHouse } from '@tributary/clickhouse';
import { findDays } from '@tributary/domain/tenants';
import type { Ledger, Postgres, Tx } from '@tributary/postgres';
import { fromMinorUnits } from '@tributary/rules';
import { type DifferenceKind, hourMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { conversionValues, definition, isEligible, minorUnits } from './ledger-rows.ts';

/**
 * Whether the columns say what the ledger says. Both give, by day and 64 groups of ids, a count, the money and a sum of hashes; only groups
 * that differ are read row by row. What differs is looked at once more in the ledger: a conversion that is marked, or said to be another
 * by now, is on its way and no fault. Nothing is locked.
 */

export interface Difference {
  readonly kind: DifferenceKind;
  readonly id: string;
  readonly day: string;
  /** In the reporting currency; null where that side has no such row. */
  readonly inLedger: string | null;
  readonly inColumns: string | null;
}

export interface ComparedDay {
  readonly day: string;
  readonly ledger: { readonly conversions: number; readonly value: string };
  readonly columns: { readonly conversions: number; readonly value: string };
  readonly differences: number;
  readonly pending: number;
}

export interface Comparison {
  readonly currency: string;
  readonly days: readonly ComparedDay[];
  readonly differences: readonly Difference[];
  readonly pending: number;
}

interface Asked {
  readonly profileId: string;
  readonly dateFrom: string;
  readonly dateTo: string;
  /** Differences that are named; what lies beyond is found by the next run. */
  readonly most: number;
  readonly now: Date;
}

interface Span {
  readonly profileId: string;
  readonly from: Date;
  readonly until: Date;
  readonly timeZone: string;
  readonly currency: string;
}

/** Rows of a group that are looked at; a group has some hundreds. */
const mostRows = 200_000;
/** A definition that changed since marks its conversions by and by. */
const definitionGraceMs = 60 * 60_000;

export async function compareLedger(
  { app, clickhouse }: { readonly app: Postgres; readonly clickhouse: ClickHouse },
  { profileId, dateFrom, dateTo, most, now }: Asked,
  signal: AbortSignal,
): Promise<Comparison> {
  const ledger = app.forProfile(profileId);
  const { span, groups, isRedefined } = await ledger.transaction(
    async (tx) => {
      const days = await findDays(tx, profileId, dateFrom, dateTo);
      const found: Span = { profileId, ...days };
      return {
        span: found,
        groups: await listLedgerGroups(tx, found),
        isRedefined: await wasRedefined(tx, profileId, new Date(now.getTime() - definitionGraceMs)),
      };
    },
    { readOnly: true },
  );
  const { from, until, timeZone, currency } = span;
  const columns = await clickhouse.query(
    'conversion_list_groups',
    { profile_id: profileId, from, until, time_zone: timeZone },
    { signal },
  );
  const byDay = Map.groupBy([...pairs(groups, columns)], ({ day }) => day);
  const days: ComparedDay[] = [];
  const differences: Difference[] = [];
  let pending = 0;
  for (const [day, both] of [...byDay].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const buckets = both.filter(isDifferent).map(({ bucket }) => bucket);
    const found = buckets.length === 0 ? [] : await compareRows(ledger, clickhouse, span, day, buckets, signal);
    const real = isRedefined ? [] : found.filter(({ isPending }) => !isPending);
    differences.push(...real.slice(0, most - differences.length).map(({ isPending: _, ...one }) => one));
    pending += found.length - real.length;
    const side = (of: 'ledger' | 'columns') => ({
      conversions: both.reduce((sum, group) => sum + Number(group[of]?.conversions ?? 0), 0),
      value: fromMinorUnits(
        both.reduce((sum, group) => sum + BigInt(group[of]?.money ?? 0), 0n),
        currency,
      ),
    });
    const counts = { differences: real.length, pending: found.length - real.length };
    days.push({ day, ledger: side('ledger'), columns: side('columns'), ...counts });
  }
  return { currency, days, differences, pending };
}

interface Group {
  readonly day: string;
  readonly bucket: number;
  readonly conversions: string;
  /** In minor units. */
  readonly money: string;
  readonly hash: string;
}
interface Pair {
  readonly day: string;
  readonly bucket: number;
  readonly ledger: Group | undefined;
  readonly columns: (Group & { readonly off: number }) | undefined;
}

function* pairs(ledger: readonly Group[], columns: readonly (Group & { readonly off: number })[]): Iterable<Pair> {
  const key = ({ day, bucket }: Group) => `${day} ${bucket}`;
  const others = new Map(columns.map((group) => [key(group), group]));
  for (const group of ledger) {
    yield { day: group.day, bucket: group.bucket, ledger: group, columns: others.get(key(group)) };
    others.delete(key(group));
  }
  for (const group of others.values())
    yield { day: group.day, bucket: group.bucket, ledger: undefined, columns: group };
}

const isDifferent = ({ ledger, columns }: Pair): boolean =>
  columns?.off !== 0 ||
  ledger?.conversions !== columns.conversions ||
  ledger.money !== columns.money ||
  ledger.hash !== columns.hash;

const bucketOf = "get_byte(decode(md5(o.id::text), 'hex'), 0) % 64";

/** What attribution takes of the ledger: the value of a conversion, and by which definition it is one. */
function ledgerRows({ profileId, from, until, timeZone, currency }: Span) {
  const values = conversionValues('o.occurred_at', isEligible, {
    currency: `'${currency}'`,
    units: minorUnits(currency),
  });
  return sql`
    SELECT o.id, (o.occurred_at AT TIME ZONE ${timeZone})::date::text AS day, ${sql.raw(bucketOf)} AS bucket, ${sql.raw(values[8] ?? '')} AS value,
      d.id AS definition_id
    FROM outcomes o ${sql.raw(definition)}
    WHERE o.profile_id = ${profileId} AND ${sql.raw(isEligible)} AND o.occurred_at >= ${from} AND o.occurred_at < ${until}`;
}

async function listLedgerGroups(tx: Tx, span: Span): Promise<Group[]> {
  const { rows } = await sql<Group>`
    SELECT day, bucket, count(*)::text AS conversions, sum(value)::text AS money,
      sum(('x' || substr(md5(id::text || '|' || value || '|' || definition_id::text), 1, 12))::bit(48)::bigint)::text AS hash
    FROM (${ledgerRows(span)}) AS one GROUP BY 1, 2`.execute(tx);
  return rows;
}

async function wasRedefined(tx: Tx, profileId: string, since: Date): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM definitions WHERE profile_id = ${profileId} AND updated_at > ${since} AND updated_at > created_at LIMIT 1`.execute(
    tx,
  );
  return rows.length > 0;
}

interface LedgerRow {
  readonly id: string;
  readonly money: string;
  readonly definitionId: string;
  readonly isMarked: boolean;
}

async function compareRows(
  ledger: Ledger,
  clickhouse: ClickHouse,
  span: Span,
  day: string,
  buckets: readonly number[],
  signal: AbortSignal,
): Promise<(Difference & { readonly isPending: boolean })[]> {
  const { profileId, timeZone, currency } = span;
  const around = aroundDay(span, day);
  const { from, until } = around;
  const read = () => ledger.transaction((tx) => listLedgerRows(tx, around, day, buckets), { readOnly: true });
  const before = await read();
  const columns = await clickhouse.query(
    'conversion_list_compared',
    { profile_id: profileId, from, until, time_zone: timeZone, day, buckets, limit: mostRows },
    { signal },
  );
  const inColumns = new Map(columns.map((row) => [row.conversion_id, row]));
  const ids = new Set([...before.keys(), ...inColumns.keys()]);
  const suspects = [...ids].filter((id) => kindOf(before.get(id), inColumns.get(id)) !== undefined);
  if (suspects.length === 0) return [];
  const after = await read();
  const marked = await ledger.transaction((tx) => listMarked(tx, profileId, suspects), { readOnly: true });
  return suspects.flatMap((id) => {
    const [was, is, row] = [before.get(id), after.get(id), inColumns.get(id)];
    const kind = kindOf(was, row);
    if (!kind) return [];
    const isSame = was?.money === is?.money && was?.definitionId === is?.definitionId;
    const isPending = !isSame || marked.has(id) || was?.isMarked === true;
    const shown = (value: string | undefined) => (value === undefined ? null : fromMinorUnits(BigInt(value), currency));
    return [{ kind, id, day, inLedger: shown(was?.money), inColumns: shown(row?.money), isPending }];
  });
}

/** A day of any time zone, and some hours beside it: both engines find it by their order instead of reading all days. */
function aroundDay(span: Span, day: string): Span {
  const midnight = Date.parse(day);
  return { ...span, from: new Date(midnight - 15 * hourMs), until: new Date(midnight + 39 * hourMs) };
}

function kindOf(
  inLedger: LedgerRow | undefined,
  inColumns: { readonly money: string; readonly definition_id: string; readonly is_off: number } | undefined,
): DifferenceKind | undefined {
  if (!inColumns) return inLedger ? 'missing_in_columns' : undefined;
  if (!inLedger) return 'unknown_to_ledger';
  if (inLedger.money !== inColumns.money || inLedger.definitionId !== inColumns.definition_id) return 'amount_differs';
  return inColumns.is_off ? 'credits_off' : undefined;
}

async function listLedgerRows(
  tx: Tx,
  span: Span,
  day: string,
  buckets: readonly number[],
): Promise<Map<string, LedgerRow>> {
  const { rows } = await sql<LedgerRow>`
    SELECT one.id, one.value::text AS money, one.definition_id AS "definitionId", d.outcome_id IS NOT NULL AS "isMarked"
    FROM (${ledgerRows(span)}) AS one
    LEFT JOIN dirty_conversions d ON d.profile_id = ${span.profileId} AND d.outcome_id = one.id
    WHERE one.day = ${day} AND one.bucket = ANY (${[...buckets]}::int[]) LIMIT ${mostRows}`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The conversions of a day that the ledger knows. */
export async function listOfDay(tx: Tx, profileId: string, day: string): Promise<string[]> {
  const days = await findDays(tx, profileId, day, day);
  const { rows } = await sql<{ id: string }>`
    SELECT one.id FROM (${ledgerRows({ profileId, ...days })}) AS one LIMIT ${mostRows}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The day of UTC of the earliest conversion that the columns know of some time; undefined: there is none. */
export async function findFirstDay(
  clickhouse: ClickHouse,
  profileId: string,
  { from, until }: { readonly from: Date; readonly until: Date },
  signal: AbortSignal,
): Promise<string | undefined> {
  const [first] = await clickhouse.query('conversion_first', { profile_id: profileId, from, until }, { signal });
  return first && first.conversions !== '0' ? first.day : undefined;
}

/** Whether a conversion of some days waits to be worked out. */
export async function isAnyMarked(tx: Tx, profileId: string, from: Date, until: Date): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM dirty_conversions d JOIN outcomes o ON o.profile_id = d.profile_id AND o.id = d.outcome_id
    WHERE d.profile_id = ${profileId} AND o.occurred_at >= ${from} AND o.occurred_at < ${until} LIMIT 1`.execute(tx);
  return rows.length > 0;
}

async function listMarked(tx: Tx, profileId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT outcome_id AS id FROM dirty_conversions WHERE profile_id = ${profileId} AND outcome_id = ANY (${[...ids]}::uuid[])`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}
