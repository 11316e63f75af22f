import type { ClickHouse, Row } from '@tributary/clickhouse';
import { listOutcomes, listOutcomeTimes, type PersonOutcome } from '@tributary/domain/outcomes';
import { listPartnerTouches, listPartnerTouchTimes, type PartnerTouch } from '@tributary/domain/partners';
import type { Ledger } from '@tributary/postgres';
import { dayMs, limits } from '@tributary/vocabulary';
import { type Counted, lastUntil, merged, type Part, partsOf } from './page.ts';
import { asTouch, asVisitless } from './partner-touches.ts';
import type { Person } from './person.ts';

/** All that happened is in two stores. Both say when; from that follows which rows stand on a page, and only those are read. */

export type VisitEvent = { readonly at: number; readonly store: 'visits'; readonly row: Row<'journey_list_visits'> };
/** What brought somebody without a visit. */
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
  /** Whether it happened off the site, and no visit is known to have brought the person in its lookback. */
  readonly isSynthetic: boolean;
};

/** All that a journey is made of. */
export type TimelineEvent = VisitEvent | VisitlessEvent | LedgerEvent;

export interface Stores {
  readonly ledger: Ledger;
  readonly clickhouse: ClickHouse;
  readonly signal: AbortSignal;
}

export interface TimelineAsked extends Part {
  readonly profileId: string;
  readonly person: Person;
  /** The last moment that counts. */
  readonly until: Date;
}

export interface Timeline<Event> {
  readonly events: readonly Event[];
  readonly totalCount: number;
}

/** Later than anything that is stored. */
export const always = new Date('2200-01-01T00:00:00Z');

interface Source<Event> {
  count(first: number): Promise<Counted>;
  read(part: Part, lastBrought: LastBrought): Promise<Event[]>;
}

/** When a browser was last seen until a moment; known as far as a page reaches. */
type LastBrought = (at: number) => number | undefined;

/** Browsers that one question to the warehouse is about. */
const batchSize = 2_000;

/** Everything there is: visits, what else brought somebody, and outcomes. */
export function readTimeline(stores: Stores, asked: TimelineAsked): Promise<Timeline<TimelineEvent>> {
  const ofBrowsers = questionsOf(asked).flatMap((question) => [
    ofWarehouse(
      stores,
      question,
      ['journey_list_visit_times', 'journey_list_visits'],
      (at, row): TimelineEvent => ({
        at,
        store: 'visits',
        row,
      }),
    ),
    ofWarehouse(
      stores,
      question,
      ['journey_list_visitless_touch_times', 'journey_list_visitless_touches'],
      (at, row): TimelineEvent => ({ at, store: 'visitless touches', row }),
    ),
  ]);
  const ofLedger = [
    outcomesOf(stores, asked, 'beside visits'),
    ...partnersOf(
      stores,
      asked,
      (at, touch): TimelineEvent => ({ at, store: 'visitless touches', row: asVisitless(touch) }),
    ),
  ];
  return readPage(ofBrowsers, ofLedger, asked);
}

/** What brought somebody and what it led to, and nothing else. */
export function readTouchline(stores: Stores, asked: TimelineAsked): Promise<Timeline<TouchEvent | LedgerEvent>> {
  const ofBrowsers = questionsOf(asked).map((question) =>
    ofWarehouse(
      stores,
      question,
      ['journey_list_touch_times', 'journey_list_touches'],
      (at, row): TouchEvent | LedgerEvent => ({ at, store: 'touches', row }),
    ),
  );
  const ofLedger = [
    outcomesOf(stores, asked, 'conversions'),
    ...partnersOf(stores, asked, (at, touch): TouchEvent => ({ at, store: 'touches', row: asTouch(touch) })),
  ];
  return readPage(ofBrowsers, ofLedger, asked);
}

type TimesQuery = 'journey_list_visit_times' | 'journey_list_visitless_touch_times' | 'journey_list_touch_times';
type RowsQuery = 'journey_list_visits' | 'journey_list_visitless_touches' | 'journey_list_touches';

/** Events of some browsers, by the query that tells when they were and the one that reads them. */
function ofWarehouse<Rows extends RowsQuery, Event>(
  { clickhouse, signal }: Stores,
  question: Question,
  [times, rows]: readonly [TimesQuery, Rows],
  eventOf: (at: number, row: Row<Rows>) => Event,
): Source<Event> {
  return {
    async count(limit) {
      const [counted] = await clickhouse.query(times, { ...question, limit }, { signal });
      return { count: Number(counted?.events ?? 0), times: counted?.times ?? [] };
    },
    async read(part) {
      const found: readonly Row<RowsQuery>[] = await clickhouse.query<RowsQuery>(
        rows,
        { ...question, ...part },
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
  const counted = await inTurn(sources, (source) => source.count(offset + limit));
  const parts = partsOf(counted, { offset, limit });
  const seen = counted.slice(0, ofBrowsers.length);
  // Whatever came before an event of the page is among the times that were read to find the page.
  const lastBrought = (at: number) => seen.map(({ times }) => lastUntil(times, at)).reduce(later, undefined);
  const rows = await inTurn(sources, async (source, index) => {
    const part = parts[index] as Part;
    return part.limit === 0 ? [] : source.read(part, lastBrought);
  });
  return { events: merged(rows), totalCount: counted.reduce((sum, { count }) => sum + count, 0) };
}

const later = (a: number | undefined, b: number | undefined) => (a === undefined || (b ?? a) > a ? b : a);

/** A few at a time: somebody with many browsers must not take the warehouse from all others. */
async function inTurn<Item, Result>(
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

interface Question {
  readonly profile_id: string;
  readonly visitor_ids: readonly string[];
  readonly until: Date;
}

function questionsOf({ profileId, person, until }: TimelineAsked): Question[] {
  const batches = Array.from({ length: Math.ceil(person.visitorIds.length / batchSize) }, (_, index) =>
    person.visitorIds.slice(index * batchSize, (index + 1) * batchSize),
  );
  return batches.map((visitorIds) => ({ profile_id: profileId, visitor_ids: visitorIds, until }));
}

function outcomesOf(
  { ledger }: Stores,
  { profileId, person, until }: TimelineAsked,
  part: 'beside visits' | 'conversions',
): Source<LedgerEvent> {
  const asked = { owner: person.owner, until, part };
  return {
    count: (first) => ledger.transaction((tx) => listOutcomeTimes(tx, profileId, asked, first), { readOnly: true }),
    read: async (wanted, lastBrought) => {
      const rows = await ledger.transaction((tx) => listOutcomes(tx, profileId, asked, wanted), { readOnly: true });
      return rows.map((row) => {
        const at = row.occurred_at.getTime();
        return { at, store: 'ledger', row, isSynthetic: isOffSite(row) && !isBrought(row, lastBrought(at)) };
      });
    },
  };
}

/** What partners told of a customer, by how it is shown. */
function partnersOf<Event>(
  { ledger }: Stores,
  { profileId, person: { customerId }, until }: TimelineAsked,
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

/** A conversion, or what names the ad that brought it; a server may also tell of what was done on the site. */
const isOffSite = ({ origin, lookback_days, rest }: PersonOutcome): boolean =>
  origin !== null || (lookback_days !== null && (rest as { action_source?: unknown }).action_source !== 'website');

const isBrought = ({ occurred_at, lookback_days }: PersonOutcome, last: number | undefined): boolean =>
  last !== undefined && last >= occurred_at.getTime() - (lookback_days ?? limits.lookback.days.default) * dayMs;
