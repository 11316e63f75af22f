import type { ClickHouse } from '@tributary/clickhouse';
import { compareLedger } from '@tributary/domain/attribution';
import { limits, type ReconciledBook } from '@tributary/vocabulary';
import type { ProviderServices } from './ask-provider.ts';
import { comparePayments } from './compare-payments.ts';
import { compareReports } from './compare-reports.ts';
import { compareSpend } from './compare-spend.ts';
import type { BookOfDay, Compared, Finding, Span } from './compared.ts';
import type { Found, FoundDifference, StatedFinding } from './store.ts';

export interface BookStores extends ProviderServices {
  readonly app: Parameters<typeof compareLedger>[0]['app'];
  readonly clickhouse: ClickHouse;
}

/** Holds the books that are asked for against each other; what somebody explained before, with the very same figures, is no difference again. */
export async function compareBooks(
  stores: BookStores,
  span: Span,
  books: readonly ReconciledBook[],
  explained: readonly FoundDifference[],
  signal: AbortSignal,
): Promise<Found> {
  const most = limits.reconciliation.mostDifferences;
  const ways: Record<ReconciledBook, () => Promise<Compared>> = {
    providers: () => comparePayments(stores, span, signal),
    columns: () => compareColumns(stores, span, most, signal),
    reports: () => compareReports(stores, span, most, signal),
    ad_accounts: () => compareSpend(stores, span, signal),
  };
  // Each waits for another: a provider, one store or the other.
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
    findings: findings.slice(0, most),
    unread: compared.flatMap(({ unread }) => unread),
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

/** What differs and by which figures: whoever explained it explained these. */
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

/** The ledger and the columns, as attribution compares them. */
async function compareColumns(
  { app, clickhouse }: BookStores,
  { profileId, dateFrom, dateTo, now }: Span,
  most: number,
  signal: AbortSignal,
): Promise<Compared> {
  const found = await compareLedger({ app, clickhouse }, { profileId, dateFrom, dateTo, most, now }, signal);
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
