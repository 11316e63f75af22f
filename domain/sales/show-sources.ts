import type { AnswerOf, Routes } from '@tributary/contract';
import { isSalePending, listSaleSources, type SaleSource } from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import type { OverlapEffect } from '@tributary/vocabulary';
import { countRecords, type RecordCounts } from './count-records.ts';
import { listOverlaps, type Overlap } from './overlaps.ts';
import { kindOf } from './records.ts';
import type { SaleServices } from './services.ts';
import { connectionOf, providerOf } from './show-match.ts';
import { readSaleSettings, type SaleSettings } from './store.ts';

export type ShownSources = AnswerOf<Routes['readSaleSources']>['body']['data'];
type ShownSource = ShownSources['sources'][number];
type ShownOverlap = ShownSources['overlaps'][number];

/** Sources of payments, how they overlap, and how they are counted. */
export async function showSources(
  tx: Tx,
  profileId: string,
  { findAccountNames }: SaleServices,
): Promise<ShownSources> {
  const sources = await listSaleSources(tx, profileId);
  const counts = await countRecords(
    tx,
    profileId,
    sources.map(({ source }) => source),
  );
  const connectionIds = sources.flatMap(({ source }) => connectionOf(source) ?? []);
  const names = connectionIds.length > 0 ? await findAccountNames(tx, profileId, connectionIds) : new Map();
  return {
    sources: sources.map((one) => showSource(one, counts.get(one.source), names)),
    overlaps: await showOverlaps(tx, profileId, sources),
    settings: showSettings(await readSaleSettings(tx, profileId)),
    is_pending: await isSalePending(tx, profileId),
  };
}

export async function showOverlaps(
  tx: Tx,
  profileId: string,
  sources?: readonly SaleSource[],
): Promise<ShownOverlap[]> {
  const listed = sources ?? (await listSaleSources(tx, profileId));
  return (await listOverlaps(tx, profileId)).map((one) => showOverlap(one, listed));
}

const none: RecordCounts = { records: 0, counted: 0, duplicates: 0, excluded: 0, pending: 0, has_more: false };

function showSource(one: SaleSource, counts: RecordCounts = none, names: ReadonlyMap<string, string>): ShownSource {
  const { source, decision, decidedAt } = one;
  const connectionId = connectionOf(source);
  return {
    source,
    provider: providerOf(source),
    kind: kindOf(source),
    connection_id: connectionId,
    account_name: (connectionId && names.get(connectionId)) || null,
    ...counts,
    decision,
    decided_at: decidedAt?.toISOString() ?? null,
    excluded_from: showExcluded(one),
  };
}

export const showExcluded = ({ isExcludedWhole, excludedFrom }: SaleSource): ShownSource['excluded_from'] =>
  isExcludedWhole ? 'beginning' : (excludedFrom?.toISOString() ?? null);

function showOverlap(overlap: Overlap, sources: readonly SaleSource[]): ShownOverlap {
  const { firstSource, secondSource, records, partners, isSystematic, isNever, foundAt } = overlap;
  const both = sources.filter(({ source }) => source === firstSource || source === secondSource);
  const isBoth = isNever || both.some(({ decision }) => decision === 'count_both');
  const applies: OverlapEffect = isBoth ? 'count_both' : isSystematic ? 'count_once' : 'certain_only';
  return {
    sources: [firstSource, secondSource],
    records,
    partners,
    is_systematic: isSystematic,
    found_at: foundAt?.toISOString() ?? null,
    never_same_sale: isNever,
    needs_answer: isSystematic && !isNever && both.every(({ decision }) => decision === null),
    applies,
  };
}

export const showSettings = ({ preference, windowMinutes }: SaleSettings): ShownSources['settings'] => ({
  preference: [...preference],
  window_minutes: windowMinutes,
});
