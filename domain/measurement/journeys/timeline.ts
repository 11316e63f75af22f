import type { ClickHouse, Row } from '@tributary/clickhouse';
import { listOutcomes, listOutcomeTimes, type PersonOutcome } from '@tributary/domain/commerce/outcomes';
import { listPartnerTouches, listPartnerTouchTimes, type PartnerTouch } from '@tributary/domain/traffic/partners';
import type { Ledger } from '@tributary/postgres';
import { dayMs, limits } from '@tributary/vocabulary';
import { type Counted, lastUntil, merged, type Part, partsOf } from './page.ts';
import { asTouch, asVisitless } from './partner-touches.ts';
import type { Person } from './person.ts';

/** Events come from two stores. Both return times first; from these follows which rows belong to a page, and only those rows are read. */

export type VisitEvent = { readonly at: number; readonly store: 'visits'; readonly row: Row<'journey_list_visits'> };
/** A touch without a visit. */
export type VisitlessEvent = {
  readonly at: number;
  readonly store: 'visitless touches';
  readonly row: Row<'journey_list_visitless_touches'>;
};
export type TouchEvent = { readonly at: number; readonly store: 'touches'; readonly row: Row<'journey_list_touches'> };
export type LedgerEvent = {
  readonly at: number;
  readonly store: 'ledger';
  readonly row: PersonOutcome;
  /** An off-site outcome without a known visit within its lookback window. */
  readonly isSynthetic: boolean;
};

/** Everything a journey consists of. */
export type TimelineEvent = VisitEvent | VisitlessEvent | LedgerEvent;

export interface Stores {
  readonly ledger: Ledger;
  readonly clickhouse: ClickHouse;
  readonly signal: AbortSignal;
}

export interface TimelineQuery extends Part {
  readonly profileId: string;
  readonly person: Person;
  /** Events after this moment are left out. */
  readonly until: Date;
}

export interface Timeline<Event> {
  readonly events: readonly Event[];
  readonly totalCount: number;
}

/** Later than anything stored. */
export const always = new Date('2200-01-01T00:00:00Z');

interface Source<Event> {
  count(first: number): Promise<Counted>;
  read(part: Part, lastBrought: LastBrought): Promise<Event[]>;
}

/** The last visit or touch up to a moment, as far as the times of the page reach. */
type LastBrought = (at: number) => number | undefined;

/** Visitor ids per ClickHouse query. */
const batchSize = 2_000;

/** Reads all events: visits, touches without a visit, and outcomes. */
export function readTimeline(stores: Stores, query: TimelineQuery): Promise<Timeline<TimelineEvent>> {
  const ofBrowsers = splitByVisitors(query).flatMap((visitorBatch) => [
    browserSource(
      stores,
      visitorBatch,
      ['journey_list_visit_times', 'journey_list_visits'],
      (at, row): TimelineEvent => ({
        at,
        store: 'visits',
        row,
      }),
    ),
    browserSource(
      stores,
      visitorBatch,
      ['journey_list_visitless_touch_times', 'journey_list_visitless_touches'],
      (at, row): TimelineEvent => ({ at, store: 'visitless touches', row }),
    ),
  ]);
  const ofLedger = [
    outcomeSource(stores, query, 'beside visits'),
    ...partnerSource(
      stores,
      query,
      (at, touch): TimelineEvent => ({ at, store: 'visitless touches', row: asVisitless(touch) }),
    ),
  ];
  return readPage(ofBrowsers, ofLedger, query);
}

/** Reads only touches and conversions. */
export function readTouchline(stores: Stores, query: TimelineQuery): Promise<Timeline<TouchEvent | LedgerEvent>> {
  const ofBrowsers = splitByVisitors(query).map((visitorBatch) =>
    browserSource(
      stores,
      visitorBatch,
      ['journey_list_touch_times', 'journey_list_touches'],
      (at, row): TouchEvent | LedgerEvent => ({ at, store: 'touches', row }),
    ),
  );
  const ofLedger = [
    outcomeSource(stores, query, 'conversions'),
    ...partnerSource(stores, query, (at, touch): TouchEvent => ({ at, store: 'touches', row: asTouch(touch) })),
  ];
  return readPage(ofBrowsers, ofLedger, query);
}

type TimesQuery = 'journey_list_visit_times' | 'journey_list_visitless_touch_times' | 'journey_list_touch_times';
type RowsQuery = 'journey_list_visits' | 'journey_list_visitless_touches' | 'journey_list_touches';

/** Events of some browsers, with one query for their times and one for their rows. */
function browserSource<Rows extends RowsQuery, Event>(
  { clickhouse, signal }: Stores,
  visitorBatch: VisitorBatch,
  [times, rows]: readonly [TimesQuery, Rows],
  eventOf: (at: number, row: Row<Rows>) => Event,
): Source<Event> {
  return {
    async count(limit) {
      const [counted] = await clickhouse.query(times, { ...visitorBatch, limit }, { signal });
      return { count: Number(counted?.events ?? 0), times: counted?.times ?? [] };
    },
    async read(part) {
      const found: readonly Row<RowsQuery>[] = await clickhouse.query<RowsQuery>(
        rows,
        { ...visitorBatch, ...part },
        { signal },
      );
      return found.map((row) => eventOf(Date.parse(row.occurred_at), row as Row<Rows>));
    },
  };
}

async function readPage<Event extends { readonly at: number }>(
  ofBrowsers: readonly Source<Event>[],
  ofLedger: readonly Source<Event>[],
  { offset, limit }: Part,
): Promise<Timeline<Event>> {
  const sources = [...ofBrowsers, ...ofLedger];
  const counted = await runLimited(sources, (source) => source.count(offset + limit));
  const parts = partsOf(counted, { offset, limit });
  const seen = counted.slice(0, ofBrowsers.length);
  // Every event before one of the page is among the times that were read to find the page.
  const lastBrought = (at: number) => seen.map(({ times }) => lastUntil(times, at)).reduce(later, undefined);
  const rows = await runLimited(sources, async (source, index) => {
    const part = parts[index] as Part;
    return part.limit === 0 ? [] : source.read(part, lastBrought);
  });
  return { events: merged(rows), totalCount: counted.reduce((sum, { count }) => sum + count, 0) };
}

const later = (a: number | undefined, b: number | undefined) => (a === undefined || (b ?? a) > a ? b : a);

/** Runs a few queries at a time, so that a customer with many browsers does not occupy ClickHouse alone. */
async function runLimited<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const atOnce = 3;
  for (let start = 0; start < items.length; start += atOnce) {
    const some = items.slice(start, start + atOnce);
    results.push(...(await Promise.all(some.map((item, index) => work(item, start + index)))));
  }
  return results;
}

interface VisitorBatch {
  readonly profile_id: string;
  readonly visitor_ids: readonly string[];
  readonly until: Date;
}

function splitByVisitors({ profileId, person, until }: TimelineQuery): VisitorBatch[] {
  const batches = Array.from({ length: Math.ceil(person.visitorIds.length / batchSize) }, (_, index) =>
    person.visitorIds.slice(index * batchSize, (index + 1) * batchSize),
  );
  return batches.map((visitorIds) => ({ profile_id: profileId, visitor_ids: visitorIds, until }));
}

function outcomeSource(
  { ledger }: Stores,
  { profileId, person, until }: TimelineQuery,
  part: 'beside visits' | 'conversions',
): Source<LedgerEvent> {
  const query = { owner: person.owner, until, part };
  return {
    count: (first) => ledger.transaction((tx) => listOutcomeTimes(tx, profileId, query, first), { readOnly: true }),
    read: async (rowPart, lastBrought) => {
      const rows = await ledger.transaction((tx) => listOutcomes(tx, profileId, query, rowPart), { readOnly: true });
      return rows.map((row) => {
        const at = row.occurred_at.getTime();
        return { at, store: 'ledger', row, isSynthetic: isOffSite(row) && !isBrought(row, lastBrought(at)) };
      });
    },
  };
}

/** Touches of a customer that partners reported. */
function partnerSource<Event>(
  { ledger }: Stores,
  { profileId, person: { customerId }, until }: TimelineQuery,
  eventOf: (at: number, touch: PartnerTouch) => Event,
): Source<Event>[] {
  if (customerId === null) return [];
  return [
    {
      count: (first) =>
        ledger.transaction((tx) => listPartnerTouchTimes(tx, profileId, customerId, until, first), { readOnly: true }),
      read: async (part) => {
        const rows = await ledger.transaction((tx) => listPartnerTouches(tx, profileId, customerId, until, part), {
          readOnly: true,
        });
        return rows.map((touch) => eventOf(touch.occurredAt.getTime(), touch));
      },
    },
  ];
}

/** A conversion, or an outcome that names its ad. Servers may also report on-site actions, marked with action_source "website". */
const isOffSite = ({ origin, lookback_days, rest }: PersonOutcome): boolean =>
  origin !== null || (lookback_days !== null && (rest as { action_source?: unknown }).action_source !== 'website');

const isBrought = ({ occurred_at, lookback_days }: PersonOutcome, last: number | undefined): boolean =>
  last !== undefined && last >= occurred_at.getTime() - (lookback_days ?? limits.lookback.days.default) * dayMs;
