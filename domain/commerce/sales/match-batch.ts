import { findNeighbours, type LedgerRecord, listSaleRecords } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { type LastingMatch, matchRecords, pairKey, type SaleRecord } from '@tributary/rules';
import { limits, type MatchDecision } from '@tributary/vocabulary';
import { toSaleRecord } from './records.ts';
import {
  dropRecords,
  eraseReferences,
  findDecisions,
  findMarks,
  findMatches,
  findRelated,
  markMatched,
  type NewMatch,
  readSaleSettings,
  replaceMatches,
  type SaleMark,
  type StoredMatch,
  saveRecords,
} from './store.ts';

/**
 * Recomputes the matches of some records. Reads the whole bucket of each record: every record that shares a reference
 * with it or has the same customer and amount close in time, recursively. So the result does not depend on the order of
 * arrival. Resolves to the marks of the bucket's other records, which are matched along with them.
 */
export async function matchBatch(tx: Tx, profileId: string, ids: readonly string[], now: Date): Promise<SaleMark[]> {
  const { windowMinutes } = await readSaleSettings(tx, profileId);
  const windowMs = windowMinutes * 60_000;
  const seeds = await listSaleRecords(tx, profileId, ids);
  const isPayment = new Set(seeds.map(({ id }) => id));
  await dropRecords(
    tx,
    profileId,
    ids.filter((id) => !isPayment.has(id)),
  );
  const { found: bucket, records, marks, fresh } = await readBuckets(tx, profileId, seeds, windowMs);
  const all = [...new Set([...ids, ...bucket.keys()])];
  const decisions = await findDecisions(tx, profileId, all);
  const matched = await findMatches(
    tx,
    profileId,
    all.filter((id) => !fresh.has(id)),
  );
  const before = new Map(matched.map((one) => [pairKey(one.first, one.second), one]));
  const lasting = lastingMatches(bucket, before.values(), decisions);
  const found = matchRecords(records, { windowMs, decisions, lasting });
  const after = new Map<string, NewMatch>();
  for (const match of found) {
    const [one, other] = [bucket.get(match.first), bucket.get(match.second)] as [LedgerRecord, LedgerRecord];
    const key = pairKey(match.first, match.second);
    const { decision: _decision, ...evidence } = match;
    const previousState = before.get(key)?.state ?? 'suggested';
    const state = previousState === 'rejected' ? 'suggested' : previousState;
    after.set(key, { ...evidence, firstSource: one.source, secondSource: other.source, state });
  }
  // Keeps rejected pairs listed, so that the rejection can be undone.
  for (const [key, match] of before)
    if (!after.has(key) && decisions.get(key) === 'rejected') after.set(key, { ...match, state: 'rejected' });
  await eraseReferences(
    tx,
    profileId,
    [...before].flatMap(([key, { id }]) => (lasting.has(key) && after.get(key)?.reference === null ? [id] : [])),
  );
  const ended = [...before].filter(([key, match]) => !isSame(match, after.get(key)));
  const added = [...after].filter(([key, match]) => !isSame(before.get(key), match));
  await replaceMatches(
    tx,
    profileId,
    ended.map(([, { id }]) => id),
    added.map(([, match]) => match),
    now,
  );
  const own = new Set([...ids, ...marks.map(({ id }) => id)]);
  await markMatched(
    tx,
    profileId,
    [...ended, ...added].flatMap(([, { first, second }]) => [first, second]).filter((id) => !own.has(id)),
  );
  return marks;
}

/**
 * Matches that must survive an erasure. An erasure must not change revenue, so matched records stay one sale after the
 * reference or customer that proved it is gone.
 */
function lastingMatches(
  bucket: ReadonlyMap<string, LedgerRecord>,
  matches: Iterable<StoredMatch>,
  decisions: ReadonlyMap<string, MatchDecision>,
): ReadonlyMap<string, LastingMatch> {
  const isErased = (id: string) => bucket.get(id)?.isErased ?? false;
  return new Map(
    [...matches]
      .filter(({ first, second, isLikely }) => isLikely && (isErased(first) || isErased(second)))
      .map((one) => {
        const key = pairKey(one.first, one.second);
        return [key, { ...one, isRestored: one.state === 'rejected' && decisions.get(key) !== 'rejected' }];
      }),
  );
}

const isSame = (a: StoredMatch | NewMatch | undefined, b: StoredMatch | NewMatch | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.evidence === b.evidence &&
  a.reference === b.reference &&
  a.apartMs === b.apartMs &&
  a.isCertain === b.isCertain &&
  a.isLikely === b.isLikely &&
  a.state === b.state;

interface Bucket {
  readonly found: ReadonlyMap<string, LedgerRecord>;
  /** The same records with their references, as the matching rules need them. */
  readonly records: readonly SaleRecord[];
  /** The queue marks of the bucket's records other than the seeds. */
  readonly marks: SaleMark[];
  /** Records that had no row in `sale_records` before. */
  readonly fresh: ReadonlySet<string>;
}

async function readBuckets(
  tx: Tx,
  profileId: string,
  seeds: readonly LedgerRecord[],
  windowMs: number,
): Promise<Bucket> {
  const { most: maxRecords, perCustomer } = limits.sales.bucket;
  const found = new Map(seeds.map((one) => [one.id, one]));
  let near = seeds.map((one) => toSaleRecord(one));
  const records = [...near];
  const fresh = new Set(await saveRecords(tx, profileId, near));
  const marks: SaleMark[] = [];
  let frontier = seeds;
  while (frontier.length > 0) {
    // The bucket is too large: its outer records keep their marks and are matched in their own batch.
    if (found.size > seeds.length + maxRecords) return { found, records, marks: [], fresh };
    const related = await findRelated(tx, profileId, near, fresh);
    const neighbours = await findNeighbours(tx, profileId, frontier, windowMs, perCustomer);
    const next = [...new Set([...related, ...neighbours])].filter((id) => !found.has(id));
    const marked = await findMarks(tx, profileId, next, false);
    frontier = await listSaleRecords(tx, profileId, next);
    for (const one of frontier) found.set(one.id, one);
    near = frontier.map((one) => toSaleRecord(one));
    records.push(...near);
    const isPayment = new Set(frontier.map(({ id }) => id));
    const members = marked.filter(({ id }) => isPayment.has(id));
    marks.push(...members);
    const isMarked = new Set(members.map(({ id }) => id));
    const added = await saveRecords(
      tx,
      profileId,
      near.filter(({ id }) => isMarked.has(id)),
    );
    for (const id of added) fresh.add(id);
  }
  return { found, records, marks, fresh };
}
