import type { ClickHouse } from '@tributary/clickhouse';
import { findDays } from '@tributary/domain/tenants';
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
 * Whether the columns say what the ledger says. Both give, by day, definition and groups of ids, a count, the money and a sum over ids and values; only groups
 * that differ are read row by row. What is just being worked out is compared by itself: conversions that are marked in the ledger's snapshot, and those that
 * were written to the columns after it. Of them, and of what a second look finds changed, a difference is on its way and no fault. Nothing is locked.
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

/** A definition that changed since marks its conversions by and by. */
const definitionGraceMs = 60 * 60_000;

export async function compareLedger(
  { app, clickhouse }: Stores,
  { profileId, dateFrom, dateTo, most, now }: Asked,
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
  /** Where all of it differs there is more than can be kept: what is not named is counted. */
  const note = ({ isPending, ...one }: Found) => {
    const isFault = !isPending && !isRedefined;
    const ofDay = counts.get(one.day) ?? { differences: 0, pending: 0 };
    ofDay[isFault ? 'differences' : 'pending'] += 1;
    counts.set(one.day, ofDay);
    if (isFault && differences.length < most) differences.push(one);
  };
  const underWay = byId(await lookAgain(ledger, span, suspects));
  for (const one of underWay.values()) note(one);
  for await (const one of compareRows(ledger, clickhouse, span, groups.filter(isDifferent), signal))
    if (!underWay.has(one.id)) note(one);
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

type Found = Difference & { readonly isPending: boolean };

/** Rows of groups that are read at once, and groups: as many as ClickHouse takes in one field. */
const rowsAtOnce = 200_000;
const bucketsAtOnce = 10_000;

/** Reads groups row by row: many of them in one statement, because neither engine finds a group without reading its neighbours. */
async function* compareRows(
  ledger: Ledger,
  clickhouse: ClickHouse,
  span: Span,
  groups: readonly Group[],
  signal: AbortSignal,
): AsyncGenerator<Found> {
  const { profileId, timeZone } = span;
  for (const buckets of together(groups)) {
    const around = aroundDays(span, buckets);
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
    yield* await lookAgain(ledger, span, suspects);
  }
}

/** Their days in any time zone, and some hours beside them: the columns are ordered by time, and all other days are left unread. */
function aroundDays(span: Span, buckets: readonly number[]): Span {
  const [first = 0, last = 0] = [buckets[0], buckets.at(-1)].map((bucket = 0) => Date.parse(dayOfBucket(bucket)));
  return { ...span, from: new Date(first - 15 * hourMs), until: new Date(last + 39 * hourMs) };
}

/** Groups in the order of their days, as many at once as are to be read at once. */
function together(groups: readonly Group[]): number[][] {
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

/** What differs, with a second look at the ledger: what is marked, or another by now, is on its way. */
async function lookAgain(ledger: Ledger, span: Span, all: readonly Suspect[]): Promise<Found[]> {
  const suspects = all.flatMap((one) => {
    const kind = kindOf(one.was, one.row);
    return kind ? [{ ...one, kind }] : [];
  });
  const ids = suspects.map(({ id }) => id);
  const looked = await inChunks(ids, (some) =>
    ledger.transaction(
      async (tx) => {
        const after = byId((await listOfIds(span, some).execute(tx)).rows);
        const marked = await listMarked(tx, span.profileId, some);
        return some.map((id) => ({ id, is: after.get(id), isMarked: marked.has(id) }));
      },
      { readOnly: true },
    ),
  );
  const now = byId(looked);
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
