import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { conversionIdOf, moneyText } from '@tributary/rules';
import type { AttributionModel, Channel, EntityLevel } from '@tributary/vocabulary';
import type { BookOfDay } from './compared.ts';
import { type FoundDifference, findReconciliation, type Reconciliation } from './store.ts';
import type { SourceOfDay } from './sum-sources.ts';

export const toRunResponse = (run: Reconciliation) => ({
  id: run.id,
  state: run.state,
  is_nightly: run.isNightly,
  books: [...run.books],
  date_from: run.dateFrom,
  date_to: run.dateTo,
  requested_at: run.requestedAt.toISOString(),
  finished_at: run.finishedAt?.toISOString() ?? null,
  differences: run.differences,
  pending: run.pending,
});

/** The books of each day in the order of comparison, with what each source reported. */
export function toDayResponses(books: readonly BookOfDay[], sources: readonly SourceOfDay[]) {
  const booksOf = Map.groupBy(books, ({ day }) => day);
  const sourcesOf = Map.groupBy(sources, ({ day }) => day);
  return [...new Set([...booksOf.keys(), ...sourcesOf.keys()])]
    .sort()
    .map((day) => [day, booksOf.get(day) ?? []] as const)
    .map(([day, of]) => ({
      day,
      differences: of.reduce((sum, { differences }) => sum + differences, 0),
      pending: of.reduce((sum, { pending }) => sum + pending, 0),
      books: of.map(({ book, channel, currency, differences, pending, ...sides }) => ({
        book,
        channel: channel as Channel | null,
        currency,
        at_provider: sides.atProvider ?? null,
        in_ledger: sides.inLedger ?? null,
        in_columns: sides.inColumns ?? null,
        in_reports: sides.inReports ?? null,
        differences,
        pending,
      })),
      sources: (sourcesOf.get(day) ?? []).map(toSourceResponse),
    }));
}

const toSourceResponse = ({ source, connectionId, currency, ...sums }: SourceOfDay) => {
  const shown = ({ count, value }: SourceOfDay['records']) => ({ count, value: moneyText(value, currency) });
  return {
    source,
    connection_id: connectionId,
    currency,
    records: shown(sums.records),
    duplicates: shown(sums.duplicates),
    excluded: shown(sums.excluded),
    pending: shown(sums.pending),
    counted: shown(sums.counted),
  };
};

export const toDifferenceResponse = (one: FoundDifference) => ({
  number: one.number,
  book: one.book,
  kind: one.kind,
  state: one.state,
  note: one.note,
  day: one.day,
  currency: one.currency,
  conversion_id: one.id === null ? null : conversionIdOf(one.id),
  channel: one.channel as Channel | null,
  connection_id: one.connectionId,
  external_id: one.externalId,
  level: one.level as EntityLevel | null,
  model: one.model as AttributionModel | null,
  at_provider: one.atProvider,
  in_ledger: one.inLedger,
  in_columns: one.inColumns,
  in_reports: one.inReports,
});

export const findRun = async (tx: Tx, profileId: string, id: string): Promise<Reconciliation> =>
  (await findReconciliation(tx, profileId, id)) ??
  refuse('not_found', 'There is no such reconciliation in this profile.');
