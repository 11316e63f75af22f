import type { ClickHouse } from '@tributary/clickhouse';
import { compareLedger, findFirstDay } from '@tributary/domain/measurement/attribution';
import { dayOf } from '@tributary/rules';
import { dayMs, limits, type ReconciledBook } from '@tributary/vocabulary';
import { comparePayments } from './compare-payments.ts';
import { compareReports } from './compare-reports.ts';
import { compareSpend } from './compare-spend.ts';
import type { BookOfDay, Compared, Finding, Span } from './compared.ts';
import type { ProviderServices } from './read-provider.ts';
import type { Found, FoundDifference, StatedFinding } from './store.ts';
import { sumSources } from './sum-sources.ts';

export interface BookStores extends ProviderServices {
  readonly app: Parameters<typeof compareLedger>[0]['app'];
  readonly clickhouse: ClickHouse;
}

/** Compares the requested books. A difference that was explained before with the same figures stays explained. */
export async function compareBooks(
  stores: BookStores,
  span: Span,
  books: readonly ReconciledBook[],
  explained: readonly FoundDifference[],
  signal: AbortSignal,
): Promise<Found> {
  const maxDifferences = limits.reconciliation.mostDifferences;
  const ways: Record<ReconciledBook, () => Promise<Compared>> = {
    providers: () => comparePayments(stores, span, signal),
    columns: () => compareColumns(stores, span, maxDifferences, signal),
    reports: () => compareReports(stores, span, maxDifferences, signal),
    ad_accounts: () => compareSpend(stores, span, signal),
  };
  // Runs concurrently, because each comparison waits for a different system: a provider or one of the stores.
  const compared = await Promise.all(books.map((book) => ways[book]()));
  const currency = compared.flatMap(({ days }) => days).find(({ book }) => book === 'columns')?.currency ?? '';
  const notes = new Map(explained.map((one) => [keyOf(one.id, one), one.note ?? '']));
  const findings = compared
    .flatMap(({ findings: all }) => all)
    .map((one): StatedFinding => {
      const note = notes.get(keyOf(one.conversionId ?? null, one));
      if (one.isPending) return { ...one, state: 'pending' };
      return note === undefined ? { ...one, state: 'open' } : { ...one, state: 'explained', note };
    });
  return {
    currency,
    books: compared.flatMap(({ days }) => days).map((day) => withoutExplained(day, findings)),
    findings: findings.slice(0, maxDifferences),
    unread: compared.flatMap(({ unread }) => unread),
    sources: books.includes('providers') ? await sumSources(stores.ledger, span, signal) : [],
  };
}

const isOf = (day: BookOfDay, one: Finding): boolean =>
  one.book === day.book &&
  one.day === day.day &&
  (one.channel ?? null) === day.channel &&
  one.currency === day.currency;

function withoutExplained(day: BookOfDay, findings: readonly StatedFinding[]): BookOfDay {
  if (day.differences === 0) return day;
  const explained = findings.filter((one) => one.state === 'explained' && isOf(day, one)).length;
  return explained === 0 ? day : { ...day, differences: day.differences - explained };
}

type Keyed = Partial<
  Record<
    | 'book'
    | 'kind'
    | 'day'
    | 'currency'
    | 'channel'
    | 'externalId'
    | 'level'
    | 'model'
    | 'atProvider'
    | 'inLedger'
    | 'inColumns'
    | 'inReports',
    string | null | undefined
  >
>;

/** Identifies a difference with its figures: an explanation covers exactly these. */
const keyOf = (id: string | null, one: Keyed): string =>
  JSON.stringify([
    id,
    one.book,
    one.kind,
    one.day,
    one.currency,
    one.channel ?? null,
    one.externalId ?? null,
    one.level ?? null,
    one.model ?? null,
    ...[one.atProvider, one.inLedger, one.inColumns, one.inReports].map((amount) =>
      amount == null ? null : amount.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''),
    ),
  ]);

/** Days per statement: a statement over all days of a large profile would time out. */
const daysAtOnce = 92;

/** Compares ledger and ClickHouse, some months at a time. */
async function compareColumns(
  stores: BookStores,
  span: Span,
  maxDifferences: number,
  signal: AbortSignal,
): Promise<Compared> {
  const days: BookOfDay[] = [];
  const findings: Finding[] = [];
  for (const [dateFrom, dateTo] of await spansOf(stores, span, signal)) {
    const some = await compareSome(stores, { ...span, dateFrom, dateTo }, maxDifferences - findings.length, signal);
    days.push(...some.days);
    findings.push(...some.findings);
  }
  return { days, findings, unread: [] };
}

/** Days before the first known conversion are compared in one statement, because they are almost empty. */
async function spansOf(
  { clickhouse }: BookStores,
  { profileId, dateFrom, dateTo }: Span,
  signal: AbortSignal,
): Promise<(readonly [string, string])[]> {
  if (daysBetween(dateFrom, dateTo) < daysAtOnce) return [[dateFrom, dateTo]];
  const within = { from: new Date(dateFrom), until: new Date(Date.parse(dateTo) + 2 * dayMs) };
  const first = await findFirstDay(clickhouse, profileId, within, signal);
  // Days of the profile may begin a day before UTC days.
  const start = first && addDays(first, -1);
  if (start === undefined || start > dateTo) return [[dateFrom, dateTo]];
  const spans: (readonly [string, string])[] = [];
  if (start > dateFrom) spans.push([dateFrom, addDays(start, -1)]);
  for (let day = start > dateFrom ? start : dateFrom; day <= dateTo; day = addDays(day, daysAtOnce)) {
    const last = addDays(day, daysAtOnce - 1);
    spans.push([day, last < dateTo ? last : dateTo]);
  }
  return spans;
}

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs;
const addDays = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * dayMs));

async function compareSome(
  { app, clickhouse }: BookStores,
  { profileId, dateFrom, dateTo, now }: Span,
  maxDifferences: number,
  signal: AbortSignal,
): Promise<Compared> {
  const found = await compareLedger({ app, clickhouse }, { profileId, dateFrom, dateTo, maxDifferences, now }, signal);
  const { currency } = found;
  const side = ({ conversions, value }: { conversions: number; value: string }) => ({ count: conversions, value });
  return {
    unread: [],
    days: found.days.map(({ day, ledger, columns, differences, pending }) => ({
      book: 'columns',
      day,
      channel: null,
      currency,
      inLedger: side(ledger),
      inColumns: side(columns),
      differences,
      pending,
    })),
    findings: found.differences.map(({ id: conversionId, ...one }) => ({
      ...one,
      book: 'columns',
      currency,
      conversionId,
      isPending: false,
    })),
  };
}
