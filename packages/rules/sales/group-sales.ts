import { type MatchDecision, type MatchState, type SaleSourceKind, saleSourceKinds } from '@tributary/vocabulary';
import { pairKey, type RecordMatch } from './match-records.ts';

/** The fields of a record needed to group sales. */
export interface CountableRecord {
  readonly id: string;
  readonly key: string;
  readonly source: string;
  readonly kind: SaleSourceKind;
  readonly at: number;
  /** It names a customer or a browser. */
  readonly isIdentified: boolean;
  /** A member excluded its source, so it is never the counted one. */
  readonly isExcluded: boolean;
}

export interface Sale {
  /** Null: all of its records are excluded. */
  readonly counted: string | null;
  readonly records: readonly string[];
}

export interface GroupedSales {
  readonly sales: readonly Sale[];
  readonly states: ReadonlyMap<string, MatchState>;
}

export interface GroupOptions {
  readonly preference?: readonly SaleSourceKind[];
  readonly decisions: ReadonlyMap<string, MatchDecision>;
  /** Whether two sources report the same sales systematically; `never`: a member stated that they do not. */
  readonly overlap: (one: string, other: string) => 'systematic' | 'unknown' | 'never';
}

/**
 * Groups matched records into sales. A sale has at most one record of each source, and no two records that a member
 * separated. Matches that would violate this are only suggested.
 */
export function groupSales(
  records: readonly CountableRecord[],
  matches: readonly RecordMatch[],
  options: GroupOptions,
): GroupedSales {
  const byId = new Map(records.map((one) => [one.id, one]));
  const groups = new Map(records.map((one) => [one.id, [one]]));
  const states = new Map<string, MatchState>();
  const keyOf = ({ first, second }: RecordMatch) =>
    [byId.get(first)?.key ?? first, byId.get(second)?.key ?? second].sort().join('|');
  const ranked = matches
    .map((match) => ({ match, order: keyOf(match), rank: match.decision ? 0 : match.isCertain ? 1 : 2 }))
    .sort(
      (a, b) =>
        a.rank - b.rank || a.match.apartMs - b.match.apartMs || (a.order < b.order ? -1 : a.order > b.order ? 1 : 0),
    );
  for (const { match } of ranked) {
    const [one, other] = [byId.get(match.first), byId.get(match.second)];
    if (!one || !other) continue;
    const isAccepted = match.decision === 'confirmed' || isCounted(match, options.overlap(one.source, other.source));
    const isJoined = isAccepted && join(groups, one, other, options.decisions);
    states.set(pairKey(one.id, other.id), isJoined ? (match.decision ?? 'automatic') : 'suggested');
  }
  return { sales: [...new Set(groups.values())].map((group) => saleOf(group, options.preference)), states };
}

const isCounted = (match: RecordMatch, overlap: ReturnType<GroupOptions['overlap']>): boolean =>
  overlap !== 'never' && (match.isCertain || (match.isLikely && overlap === 'systematic'));

function join(
  groups: Map<string, CountableRecord[]>,
  one: CountableRecord,
  other: CountableRecord,
  decisions: GroupOptions['decisions'],
): boolean {
  const [left = [], right = []] = [groups.get(one.id), groups.get(other.id)];
  if (left === right) return true;
  const isBroken = left.some((a) =>
    right.some((b) => a.source === b.source || decisions.get(pairKey(a.id, b.id)) === 'rejected'),
  );
  if (isBroken) return false;
  const joined = [...left, ...right];
  for (const { id } of joined) groups.set(id, joined);
  return true;
}

function saleOf(group: readonly CountableRecord[], preference: readonly SaleSourceKind[] = saleSourceKinds): Sale {
  const rank = ({ kind }: CountableRecord) => {
    const at = preference.indexOf(kind);
    return at === -1 ? preference.length : at;
  };
  // A sale counted by a record without a customer would lose its customer and be credited to no ad.
  const ordered = group.toSorted(
    (a, b) =>
      Number(b.isIdentified) - Number(a.isIdentified) || rank(a) - rank(b) || a.at - b.at || (a.key < b.key ? -1 : 1),
  );
  return {
    counted: ordered.find(({ isExcluded }) => !isExcluded)?.id ?? null,
    records: ordered.map(({ id }) => id),
  };
}

const minRecords = 20;
const minShare = 0.3;

/**
 * Whether two sources report the same sales: a sufficient share of the newer source's records in the common period
 * have a match.
 */
export const isSystematicOverlap = (records: number, partners: number): boolean =>
  records >= minRecords && partners >= records * minShare;
