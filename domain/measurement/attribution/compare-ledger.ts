import type { ClickHouse } from '@tributary/clickhouse';
import { findDays } from '@tributary/domain/tenancy/tenants';
import type { Ledger, Tx } from '@tributary/postgres';
import { fromMinorUnits } from '@tributary/rules';
import { type DifferenceKind, hourMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { type ColumnsRow, type Group, isDifferent, readGroups, type Stores, type Suspect } from './compared-groups.ts';
import {
  bucketsOfDay,
  byId,
  dayOfBucket,
  inChunks,
  type LedgerRow,
  listMarked,
  listOfBuckets,
  listOfIds,
  type Span,
} from './compared-rows.ts';

/**
 * Compares ClickHouse with the ledger. Both sides return a count, the money and a checksum per day, definition and id group; only groups
 * that differ are read row by row. Conversions in progress are compared separately: those marked dirty in the ledger's snapshot, and those
 * written to ClickHouse after it. Their differences, and those that a second read no longer finds, are pending and no fault. Nothing is
 * locked.
 */

export interface Difference {
  readonly kind: DifferenceKind;
  readonly id: string;
  readonly day: string;
  /** In the reporting currency; null if that side has no such row. */
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

interface CompareParams {
  readonly profileId: string;
  readonly dateFrom: string;
  readonly dateTo: string;
  /** Maximum number of differences returned; the next run finds the rest. */
  readonly maxDifferences: number;
  readonly now: Date;
}

/** A changed definition marks its conversions gradually; within this time differences count as pending. */
const definitionGraceMs = 60 * 60_000;

export async function compareLedger(
  { app, clickhouse }: Stores,
  { profileId, dateFrom, dateTo, maxDifferences, now }: CompareParams,
  signal: AbortSignal,
): Promise<Comparison> {
  const ledger = app.forProfile(profileId);
  const { span, isRedefined } = await ledger.transaction(
    async (tx) => ({
      span: { profileId, ...(await findDays(tx, profileId, dateFrom, dateTo)) },
      isRedefined: await wasRedefined(tx, profileId, new Date(now.getTime() - definitionGraceMs)),
    }),
    { readOnly: true },
  );
  const { currency } = span;
  const { groups, suspects } = await readGroups({ app, clickhouse }, span, signal);
  const counts = new Map<string, { differences: number; pending: number }>();
  const differences: Difference[] = [];
  /** Counts differences beyond the limit without returning them, so that memory stays bounded when everything differs. */
  const note = ({ isPending, ...one }: FoundDifference) => {
    const isFault = !isPending && !isRedefined;
    const ofDay = counts.get(one.day) ?? { differences: 0, pending: 0 };
    ofDay[isFault ? 'differences' : 'pending'] += 1;
    counts.set(one.day, ofDay);
    if (isFault && differences.length < maxDifferences) differences.push(one);
  };
  const inProgress = byId(await recheck(ledger, span, suspects));
  for (const one of inProgress.values()) note(one);
  for await (const one of compareRows(ledger, clickhouse, span, groups.filter(isDifferent), signal))
    if (!inProgress.has(one.id)) note(one);
  const byDay = Map.groupBy(groups, ({ bucket }) => dayOfBucket(bucket));
  const days = [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, both]): ComparedDay => {
      const side = (of: 'ledger' | 'columns') => ({
        conversions: both.reduce((sum, group) => sum + group[of].all.conversions, 0),
        value: fromMinorUnits(
          both.reduce((sum, group) => sum + group[of].all.money, 0n),
          currency,
        ),
      });
      const { differences: faults = 0, pending = 0 } = counts.get(day) ?? {};
      return { day, ledger: side('ledger'), columns: side('columns'), differences: faults, pending };
    });
  return {
    currency,
    days,
    differences: differences.toSorted((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day))),
    pending: days.reduce((sum, { pending }) => sum + pending, 0),
  };
}

async function wasRedefined(tx: Tx, profileId: string, since: Date): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM definitions WHERE profile_id = ${profileId} AND updated_at > ${since} AND updated_at > created_at LIMIT 1`.execute(
    tx,
  );
  return rows.length > 0;
}

type FoundDifference = Difference & { readonly isPending: boolean };

/** Rows and groups per read: as many as ClickHouse accepts in one field. */
const rowsAtOnce = 200_000;
const bucketsAtOnce = 10_000;

/** Reads groups row by row, many per statement, because neither engine finds one group without reading its neighbours. */
async function* compareRows(
  ledger: Ledger,
  clickhouse: ClickHouse,
  span: Span,
  groups: readonly Group[],
  signal: AbortSignal,
): AsyncGenerator<FoundDifference> {
  const { profileId, timeZone } = span;
  for (const buckets of batchGroups(groups)) {
    const around = widenSpan(span, buckets);
    const { from, until } = around;
    const before = await ledger.transaction((tx) => listOfBuckets(tx, around, buckets, 2 * rowsAtOnce), {
      readOnly: true,
    });
    const period = { profile_id: profileId, from, until, time_zone: timeZone, buckets_of_day: bucketsOfDay };
    const columns = await clickhouse.query(
      'conversion_list_compared',
      { ...period, buckets, limit: 2 * rowsAtOnce },
      { signal },
    );
    const inColumns = new Map(columns.map((row) => [row.conversion_id, row]));
    const suspects = [...new Set([...before.keys(), ...inColumns.keys()])].map((id): Suspect => {
      const [was, row] = [before.get(id), inColumns.get(id)];
      return { id, bucket: was?.bucket ?? row?.bucket ?? 0, was, row, isMarked: was?.isMarked ?? false };
    });
    yield* await recheck(ledger, span, suspects);
  }
}

/** Limits a read to the days of the groups in any time zone, plus some hours: ClickHouse sorts by time and skips all other days. */
function widenSpan(span: Span, buckets: readonly number[]): Span {
  const [first = 0, last = 0] = [buckets[0], buckets.at(-1)].map((bucket = 0) => Date.parse(dayOfBucket(bucket)));
  return { ...span, from: new Date(first - 15 * hourMs), until: new Date(last + 39 * hourMs) };
}

/** Splits the groups, ordered by day, into batches that fit one read. */
function batchGroups(groups: readonly Group[]): number[][] {
  const all: number[][] = [];
  let rows = 0;
  for (const [bucket, ofBucket] of Map.groupBy(
    groups.toSorted((a, b) => a.bucket - b.bucket),
    (one) => one.bucket,
  )) {
    const more = ofBucket.reduce(
      (sum, { ledger, columns }) => sum + Math.max(ledger.all.conversions, columns.all.conversions),
      0,
    );
    const last = all.at(-1);
    if (last && rows + more <= rowsAtOnce && last.length < bucketsAtOnce) last.push(bucket);
    else all.push([bucket]);
    rows = all.at(-1) === last ? rows + more : more;
  }
  return all;
}

/** Returns the differing conversions after a second read of the ledger: marked or changed ones are pending. */
async function recheck(ledger: Ledger, span: Span, all: readonly Suspect[]): Promise<FoundDifference[]> {
  const suspects = all.flatMap((one) => {
    const kind = kindOf(one.was, one.row);
    return kind ? [{ ...one, kind }] : [];
  });
  const ids = suspects.map(({ id }) => id);
  const rechecked = await inChunks(ids, (some) =>
    ledger.transaction(
      async (tx) => {
        const after = byId((await listOfIds(span, some).execute(tx)).rows);
        const marked = await listMarked(tx, span.profileId, some);
        return some.map((id) => ({ id, is: after.get(id), isMarked: marked.has(id) }));
      },
      { readOnly: true },
    ),
  );
  const now = byId(rechecked);
  const shown = (value: string | undefined) =>
    value === undefined ? null : fromMinorUnits(BigInt(value), span.currency);
  return suspects.map(({ kind, id, bucket, was, row, isMarked }) => {
    const then = now.get(id);
    const isSame = was?.money === then?.is?.money && was?.definitionId === then?.is?.definitionId;
    const isPending = !isSame || isMarked || then?.isMarked === true;
    return { kind, id, day: dayOfBucket(bucket), inLedger: shown(was?.money), inColumns: shown(row?.money), isPending };
  });
}

function kindOf(inLedger: LedgerRow | undefined, inColumns: ColumnsRow | undefined): DifferenceKind | undefined {
  if (!inColumns) return inLedger ? 'missing_in_columns' : undefined;
  if (!inLedger) return 'unknown_to_ledger';
  if (inLedger.money !== inColumns.money || inLedger.definitionId !== inColumns.definition_id) return 'amount_differs';
  return inColumns.is_off ? 'credits_off' : undefined;
}

/** The UTC day of the earliest conversion that ClickHouse has in a period; undefined if there is none. */
export async function findFirstDay(
  clickhouse: ClickHouse,
  profileId: string,
  { from, until }: { readonly from: Date; readonly until: Date },
  signal: AbortSignal,
): Promise<string | undefined> {
  const [first] = await clickhouse.query('conversion_first', { profile_id: profileId, from, until }, { signal });
  return first && first.conversions !== '0' ? first.day : undefined;
}

/** Returns whether any conversion of the period waits for attribution. */
export async function isAnyMarked(tx: Tx, profileId: string, from: Date, until: Date): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM dirty_conversions d JOIN outcomes o ON o.profile_id = d.profile_id AND o.id = d.outcome_id
    WHERE d.profile_id = ${profileId} AND o.occurred_at >= ${from} AND o.occurred_at < ${until} LIMIT 1`.execute(tx);
  return rows.length > 0;
}
