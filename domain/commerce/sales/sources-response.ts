import type { AnswerOf, Routes } from '@tributary/contract';
import { isSalePending, listSaleSources, type SaleSource } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import type { OverlapEffect } from '@tributary/vocabulary';
import { countRecords, type RecordCounts } from './count-records.ts';
import { getConnectionId, getProvider } from './match-response.ts';
import { listOverlaps, type Overlap } from './overlaps.ts';
import { getSourceKind } from './records.ts';
import type { SaleServices } from './services.ts';
import { readSaleSettings, type SaleSettings } from './store.ts';

export type SourcesResponse = AnswerOf<Routes['readSaleSources']>['body']['data'];
type SourceResponse = SourcesResponse['sources'][number];
type OverlapResponse = SourcesResponse['overlaps'][number];

/** Converts the sources of payments, their overlaps and settings to a response. */
export async function toSourcesResponse(
  tx: Tx,
  profileId: string,
  { findAccountNames }: SaleServices,
): Promise<SourcesResponse> {
  const sources = await listSaleSources(tx, profileId);
  const counts = await countRecords(
    tx,
    profileId,
    sources.map(({ source }) => source),
  );
  const connectionIds = sources.flatMap(({ source }) => getConnectionId(source) ?? []);
  const names = connectionIds.length > 0 ? await findAccountNames(tx, profileId, connectionIds) : new Map();
  return {
    sources: sources.map((one) => toSourceResponse(one, counts.get(one.source), names)),
    overlaps: await toOverlapResponses(tx, profileId, sources),
    settings: toSettingsResponse(await readSaleSettings(tx, profileId)),
    is_pending: await isSalePending(tx, profileId),
  };
}

export async function toOverlapResponses(
  tx: Tx,
  profileId: string,
  sources?: readonly SaleSource[],
): Promise<OverlapResponse[]> {
  const listed = sources ?? (await listSaleSources(tx, profileId));
  return (await listOverlaps(tx, profileId)).map((one) => toOverlapResponse(one, listed));
}

const none: RecordCounts = { records: 0, counted: 0, duplicates: 0, excluded: 0, pending: 0, has_more: false };

function toSourceResponse(
  one: SaleSource,
  counts: RecordCounts = none,
  names: ReadonlyMap<string, string>,
): SourceResponse {
  const { source, decision, decidedAt } = one;
  const connectionId = getConnectionId(source);
  return {
    source,
    provider: getProvider(source),
    kind: getSourceKind(source),
    connection_id: connectionId,
    account_name: (connectionId && names.get(connectionId)) || null,
    ...counts,
    decision,
    decided_at: decidedAt?.toISOString() ?? null,
    excluded_from: formatExcludedFrom(one),
  };
}

export const formatExcludedFrom = ({ isExcludedWhole, excludedFrom }: SaleSource): SourceResponse['excluded_from'] =>
  isExcludedWhole ? 'beginning' : (excludedFrom?.toISOString() ?? null);

function toOverlapResponse(overlap: Overlap, sources: readonly SaleSource[]): OverlapResponse {
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

export const toSettingsResponse = ({ preference, windowMinutes }: SaleSettings): SourcesResponse['settings'] => ({
  preference: [...preference],
  window_minutes: windowMinutes,
});
