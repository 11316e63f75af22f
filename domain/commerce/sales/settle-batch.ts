import {
  type CountedChange,
  type LedgerRecord,
  listSaleRecords,
  saveCounted,
} from '@tributary/domain/commerce/outcomes';
import { recountRefunds } from '@tributary/domain/commerce/payments';
import type { Tx } from '@tributary/postgres';
import { groupSales, pairKey } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import { type DuplicateDay, noticeDuplicates } from './duplicates-found.ts';
import { overlapReader } from './overlaps.ts';
import { getSourceKind } from './records.ts';
import {
  findDecisions,
  findMarks,
  findMatches,
  readByIndex,
  readSaleSettings,
  replaceMatches,
  type SaleMark,
  type StoredMatch,
  toRecordMatch,
} from './store.ts';

export interface SettledBatch {
  /** Records whose sale changed. */
  readonly changed: readonly string[];
  /** The queue marks of the sales' other records, which are settled along with them. */
  readonly others: readonly SaleMark[];
}

/** Groups records into sales by their matches, and stores which record of each sale counts. */
export async function settleBatch(tx: Tx, profileId: string, ids: readonly string[], now: Date): Promise<SettledBatch> {
  const { matches, records, others } = await readByIndex(tx, () => readSales(tx, profileId, ids));
  const decisions = await findDecisions(tx, profileId, [...records.keys()]);
  const { preference } = await readSaleSettings(tx, profileId);
  const { sources, getOverlap } = await overlapReader(tx, profileId);
  const excluded = new Map(sources.map((one) => [one.source, one]));
  const isExcluded = ({ source, at }: LedgerRecord) => {
    const one = excluded.get(source);
    return one !== undefined && (one.isExcludedWhole || (one.excludedFrom !== null && at >= one.excludedFrom));
  };
  const live = matches.filter(({ state }) => state !== 'rejected');
  const { sales, states } = groupSales(
    [...records.values()].map((one) => ({
      id: one.id,
      key: one.key,
      source: one.source,
      kind: getSourceKind(one.source),
      at: one.at.getTime(),
      isIdentified: one.isIdentified,
      isExcluded: isExcluded(one),
    })),
    live.map((one) => toRecordMatch(one, decisions.get(pairKey(one.first, one.second)) ?? null)),
    { preference, decisions, overlap: getOverlap },
  );
  const restated = live.filter((one) => states.get(pairKey(one.first, one.second)) !== one.state);
  await replaceMatches(
    tx,
    profileId,
    restated.map(({ id }) => id),
    restated.map((one) => ({ ...one, state: states.get(pairKey(one.first, one.second)) ?? 'suggested' })),
    now,
  );
  const changes: CountedChange[] = [];
  const recounted: string[] = [];
  const duplicateDays = new Map<string, DuplicateDay>();
  const previousSales = new Set<string>();
  for (const { counted, records: members } of sales) {
    let isMoved = false;
    for (const id of members) {
      const record = records.get(id) as LedgerRecord;
      const uncounted = isExcluded(record) ? 'excluded' : id === counted ? null : 'duplicate';
      const duplicateOf = uncounted === 'duplicate' ? counted : null;
      if (record.uncounted === uncounted && record.duplicateOf === duplicateOf) continue;
      isMoved = true;
      // The previous sale loses this record's refunds and must be recounted, even if nothing else of it changes.
      if (record.duplicateOf) recounted.push(record.duplicateOf);
      changes.push({ id, uncounted, duplicateOf, wasPending: record.uncounted === 'pending' });
      if (record.duplicateOf !== null) previousSales.add(record.duplicateOf);
      const countedSource = duplicateOf === null ? undefined : records.get(duplicateOf)?.source;
      if (countedSource !== undefined) {
        const day = Math.floor(record.at.getTime() / dayMs) * dayMs;
        duplicateDays.set(`${record.source}|${countedSource}|${day}`, { source: record.source, countedSource, day });
      }
    }
    if (isMoved) recounted.push(...members);
  }
  await saveCounted(tx, profileId, changes);
  await noticeDuplicates(tx, profileId, [...duplicateDays.values()], now);
  // A refund reported on another record of the sale reduces the counted record, too.
  await recountRefunds(tx, profileId, recounted, now);
  return { changed: [...new Set([...recounted, ...previousSales])], others };
}

/** Reads records and everything connected to them through matches. */
async function readSales(tx: Tx, profileId: string, ids: readonly string[]) {
  const matches = new Map<string, StoredMatch>();
  const seen = new Set(ids);
  let frontier: readonly string[] = ids;
  while (frontier.length > 0) {
    const next = new Set<string>();
    for (const match of await findMatches(tx, profileId, frontier)) {
      matches.set(match.id, match);
      if (match.state === 'rejected') continue;
      for (const id of [match.first, match.second]) if (!seen.has(id)) next.add(id);
    }
    for (const id of next) seen.add(id);
    frontier = [...next];
  }
  const seeds = new Set(ids);
  const others = await findMarks(
    tx,
    profileId,
    [...seen].filter((id) => !seeds.has(id)),
    true,
  );
  const records = await listSaleRecords(tx, profileId, [...seen]);
  return { matches: [...matches.values()], records: new Map(records.map((one) => [one.id, one])), others };
}
