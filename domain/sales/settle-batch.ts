import { type CountedChange, type LedgerRecord, listSaleRecords, saveCounted } from '@tributary/domain/outcomes';
import { recountRefunds } from '@tributary/domain/payments';
import type { Tx } from '@tributary/postgres';
import { groupSales, pairKey } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import { type DuplicateDay, noticeDuplicates } from './duplicates-found.ts';
import { overlapReader } from './overlaps.ts';
import { kindOf } from './records.ts';
import {
  asMatch,
  findDecisions,
  findMarks,
  findMatches,
  readByIndex,
  readSaleSettings,
  replaceMatches,
  type SaleMark,
  type StoredMatch,
} from './store.ts';

export interface Settled {
  /** Records whose sale changed. */
  readonly changed: readonly string[];
  /** The marks of other records of the same sales, which are formed with them. */
  readonly others: readonly SaleMark[];
}

/** Forms the sales of some records from their matches, and writes which record of each counts. */
export async function settleBatch(tx: Tx, profileId: string, ids: readonly string[], now: Date): Promise<Settled> {
  const { matches, records, others } = await readByIndex(tx, () => readSales(tx, profileId, ids));
  const decisions = await findDecisions(tx, profileId, [...records.keys()]);
  const { preference } = await readSaleSettings(tx, profileId);
  const { sources, of } = await overlapReader(tx, profileId);
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
      kind: kindOf(one.source),
      at: one.at.getTime(),
      isIdentified: one.isIdentified,
      isExcluded: isExcluded(one),
    })),
    live.map((one) => asMatch(one, decisions.get(pairKey(one.first, one.second)) ?? null)),
    { preference, decisions, overlap: of },
  );
  const moved = live.filter((one) => states.get(pairKey(one.first, one.second)) !== one.state);
  await replaceMatches(
    tx,
    profileId,
    moved.map(({ id }) => id),
    moved.map((one) => ({ ...one, state: states.get(pairKey(one.first, one.second)) ?? 'suggested' })),
    now,
  );
  const changes: CountedChange[] = [];
  const recounted: string[] = [];
  const duplicateDays = new Map<string, DuplicateDay>();
  const left = new Set<string>();
  for (const { counted, records: members } of sales) {
    let isMoved = false;
    for (const id of members) {
      const record = records.get(id) as LedgerRecord;
      const uncounted = isExcluded(record) ? 'excluded' : id === counted ? null : 'duplicate';
      const duplicateOf = uncounted === 'duplicate' ? counted : null;
      if (record.uncounted === uncounted && record.duplicateOf === duplicateOf) continue;
      isMoved = true;
      // The sale that it leaves loses its refunds, even where nothing else of that sale changes.
      if (record.duplicateOf) recounted.push(record.duplicateOf);
      changes.push({ id, uncounted, duplicateOf, wasPending: record.uncounted === 'pending' });
      if (record.duplicateOf !== null) left.add(record.duplicateOf);
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
  // What another record of the sale reports as refunded reduces the counted one, too.
  await recountRefunds(tx, profileId, recounted, now);
  return { changed: [...new Set([...recounted, ...left])], others };
}

/** Records with all that matches lead to from them. */
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
  const asked = new Set(ids);
  const others = await findMarks(
    tx,
    profileId,
    [...seen].filter((id) => !asked.has(id)),
    true,
  );
  const records = await listSaleRecords(tx, profileId, [...seen]);
  return { matches: [...matches.values()], records: new Map(records.map((one) => [one.id, one])), others };
}
