import type { MatchDecision, MatchEvidence } from '@tributary/vocabulary';
import type { SaleReference } from './references.ts';

/** A payment as one source reported it. */
export interface SaleRecord {
  readonly id: string;
  /** Breaks ties. Stable, unlike the id, which depends on the order of arrival. */
  readonly key: string;
  readonly source: string;
  readonly customerId: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly at: number;
  /** Which part of a payment plan it is; null: not stated. */
  readonly installment: string | null;
  readonly references: readonly SaleReference[];
}

export interface RecordMatch {
  readonly first: string;
  readonly second: string;
  readonly evidence: MatchEvidence;
  readonly reference: string | null;
  /** Sufficient without systematic overlap of the two sources. */
  readonly isCertain: boolean;
  /** Strong enough to be counted once if the two sources overlap systematically. */
  readonly isLikely: boolean;
  readonly decision: MatchDecision | null;
  readonly apartMs: number;
}

export interface MatchOptions {
  readonly windowMs: number;
  readonly decisions: ReadonlyMap<string, MatchDecision>;
  /**
   * Matches found before a customer was erased, by pair. They remain after the references and customers behind them
   * are deleted.
   */
  readonly lasting?: ReadonlyMap<string, LastingMatch>;
}

export interface LastingMatch extends Pick<RecordMatch, 'evidence' | 'isCertain' | 'isLikely'> {
  /** It was rejected, and the rejection was undone: it takes precedence over matches made in the meantime. */
  readonly isRestored: boolean;
}

/** Records of one order may be days apart: a store reports the order, a provider the capture. */
export const orderWindowMs = 3 * 86_400_000;

/** The key of a pair, in any order of its records. */
export const pairKey = (one: string, other: string): string => (one < other ? `${one}|${other}` : `${other}|${one}`);

interface Candidate extends RecordMatch {
  readonly rank: number;
  readonly isRestored: boolean;
  readonly order: string;
}

/**
 * Matches records of different sources that are the same money, one-to-one for each pair of sources: decisions first, then references, then
 * same customer and amount by ascending time difference, ties by key. A function of the set of records: their order does not matter.
 */
export function matchRecords(records: readonly SaleRecord[], options: MatchOptions): RecordMatch[] {
  const sources = [...Map.groupBy(records, ({ source }) => source)].sort(([a], [b]) => (a < b ? -1 : 1));
  return sources.flatMap(([, ones], index) =>
    sources.slice(index + 1).flatMap(([, others]) => matchSources(ones, others, options)),
  );
}

function matchSources(
  ones: readonly SaleRecord[],
  others: readonly SaleRecord[],
  options: MatchOptions,
): RecordMatch[] {
  const matched = new Set<string>();
  const matches: RecordMatch[] = [];
  const accept = (candidates: readonly Candidate[]) => {
    for (const candidate of candidates.toSorted(byStrength)) {
      if (matched.has(candidate.first) || matched.has(candidate.second)) continue;
      matched.add(candidate.first);
      matched.add(candidate.second);
      const { rank: _rank, isRestored: _isRestored, order: _order, ...match } = candidate;
      matches.push(match);
    }
  };
  const isFree = ({ id }: SaleRecord) => !matched.has(id);
  const [paired, sharing] = [byPair(others, options), byReference(others)];
  accept(candidatesOf(ones, (one) => [...paired(one), ...sharing(one)], options, referenceCandidate));
  const [left, right] = [ones.filter(isFree), others.filter(isFree)];
  accept(inOrder(left, right, options));
  accept(candidatesOf(left.filter(isFree), byCustomer(right.filter(isFree)), options, customerCandidate));
  accept(candidatesOf(left.filter(isFree), byReference(right.filter(isFree)), options, weakCandidate));
  return matches;
}

/**
 * Returns the candidate records of another source. Comparing all pairs would cost a second for each thousand of a
 * batch.
 */
type Partners = (one: SaleRecord) => readonly SaleRecord[];

function byReference(others: readonly SaleRecord[]): Partners {
  const found = Map.groupBy(
    others.flatMap((other) => other.references.map(({ value }) => ({ value, other }))),
    ({ value }) => value,
  );
  return (one) => one.references.flatMap(({ value }) => (found.get(value) ?? []).map(({ other }) => other));
}

/** Pairs that a member confirmed, and those that remain without their evidence. */
function byPair(others: readonly SaleRecord[], { decisions, lasting = new Map() }: MatchOptions): Partners {
  const byId = new Map(others.map((other) => [other.id, other]));
  const confirmed = [...decisions].flatMap(([key, decision]) => (decision === 'confirmed' ? [key] : []));
  const pairs = [...confirmed, ...lasting.keys()].map((key) => key.split('|'));
  const found = Map.groupBy(
    pairs.flatMap(([first = '', second = '']) => [
      { id: first, other: byId.get(second) },
      { id: second, other: byId.get(first) },
    ]),
    ({ id }) => id,
  );
  return ({ id }) => (found.get(id) ?? []).flatMap(({ other }) => other ?? []);
}

const moneyOf = ({ customerId, amount, currency }: SaleRecord) => `${customerId}|${amount}|${currency}`;

function byCustomer(others: readonly SaleRecord[]): Partners {
  const found = Map.groupBy(
    others.filter(({ customerId }) => customerId !== null),
    moneyOf,
  );
  return (one) => found.get(moneyOf(one)) ?? [];
}

type Propose = (one: SaleRecord, other: SaleRecord, options: MatchOptions) => Candidate | undefined;

const candidatesOf = (
  ones: readonly SaleRecord[],
  partners: Partners,
  options: MatchOptions,
  propose: Propose,
): Candidate[] =>
  ones.flatMap((one) =>
    [...new Set(partners(one))].flatMap((other) => {
      const candidate = propose(one, other, options);
      return candidate && options.decisions.get(pairKey(one.id, other.id)) !== 'rejected' ? [candidate] : [];
    }),
  );

const byStrength = (a: Candidate, b: Candidate): number =>
  a.rank - b.rank ||
  Number(b.isRestored) - Number(a.isRestored) ||
  a.apartMs - b.apartMs ||
  (a.order < b.order ? -1 : a.order > b.order ? 1 : 0);

/**
 * If a customer made several equal purchases, the same number in both sources, they match in order: one source may
 * report late by a constant delay.
 */
function inOrder(ones: readonly SaleRecord[], others: readonly SaleRecord[], options: MatchOptions): Candidate[] {
  const groupByMoney = (records: readonly SaleRecord[]) =>
    Map.groupBy(records.filter(({ customerId }) => customerId !== null).toSorted(byTime), moneyOf);
  const rights = groupByMoney(others);
  return [...groupByMoney(ones)].flatMap(([key, left]) => {
    const right = rights.get(key) ?? [];
    if (left.length < 2 || left.length !== right.length) return [];
    const pairs = left.map((one, index) => customerCandidate(one, right[index] as SaleRecord, options));
    const isComplete = pairs.every(
      (pair) => pair !== undefined && options.decisions.get(pairKey(pair.first, pair.second)) !== 'rejected',
    );
    return isComplete ? (pairs as Candidate[]) : [];
  });
}

const byTime = (a: SaleRecord, b: SaleRecord): number => a.at - b.at || (a.key < b.key ? -1 : 1);

const isSameMoney = (a: SaleRecord, b: SaleRecord) => a.amount === b.amount && a.currency === b.currency;

/** An installment matches only the same installment; a source that does not number them may report any. */
const isSamePart = (a: SaleRecord, b: SaleRecord) =>
  a.installment === null || b.installment === null || a.installment === b.installment;

const referenceCandidate: Propose = (one, other, options) => {
  if (options.decisions.get(pairKey(one.id, other.id)) === 'confirmed') {
    const base = referenceMatch(one, other) ?? customerCandidate(one, other, options);
    return candidate(one, other, {
      ...(base ?? { evidence: 'decision', reference: null }),
      rank: -1,
      decision: 'confirmed',
    });
  }
  const found = referenceMatch(one, other);
  if (found?.isCertain) return candidate(one, other, found);
  const lasting = options.lasting?.get(pairKey(one.id, other.id));
  return lasting && candidate(one, other, { ...lasting, reference: null, rank: 1 });
};

/**
 * References that collide, or whose amounts differ, are suggested. A short one counts only if the two sources overlap
 * systematically.
 */
const weakCandidate: Propose = (one, other) => {
  const found = referenceMatch(one, other);
  return found && candidate(one, other, found);
};

const customerCandidate: Propose = (one, other, { windowMs }) =>
  one.customerId !== null &&
  one.customerId === other.customerId &&
  isSameMoney(one, other) &&
  isSamePart(one, other) &&
  Math.abs(one.at - other.at) <= windowMs
    ? candidate(one, other, {
        evidence: 'customer',
        reference: null,
        rank: 2,
        isLikely: true,
      })
    : undefined;

interface Reason {
  readonly evidence: MatchEvidence;
  readonly reference: string | null;
  readonly rank: number;
  readonly isRestored?: boolean;
  readonly isCertain?: boolean;
  readonly isLikely?: boolean;
  readonly decision?: MatchDecision;
}

/**
 * Order numbers (#1001) and six-digit authorization codes are unique in one system only: those of two shops often
 * collide. A reference of this length or more is considered globally unique.
 */
const uniqueLength = 10;

function referenceMatch(one: SaleRecord, other: SaleRecord): Reason | undefined {
  const levels = new Map(other.references.map(({ value, level }) => [value, level]));
  const shared = one.references
    .flatMap(({ value, level }) => {
      const theirs = levels.get(value);
      const isPayment = level === 'payment' && theirs === 'payment';
      return theirs ? [{ value, isPayment, isUnique: value.length >= uniqueLength }] : [];
    })
    .sort(
      (a, b) =>
        Number(b.isUnique) - Number(a.isUnique) ||
        Number(b.isPayment) - Number(a.isPayment) ||
        (a.value < b.value ? -1 : 1),
    )[0];
  if (!shared) return undefined;
  const { value: reference, isPayment, isUnique } = shared;
  const reason = { evidence: 'reference', reference } as const;
  if (isUnique && isPayment && one.currency === other.currency)
    return { ...reason, rank: isSameMoney(one, other) ? 0 : 1, isCertain: true, isLikely: true };
  const isSameOrder = isSameMoney(one, other) && isSamePart(one, other) && Math.abs(one.at - other.at) <= orderWindowMs;
  if (!isSameOrder) return isUnique ? { ...reason, rank: 3 } : undefined;
  const isCertain = isUnique || (one.customerId !== null && one.customerId === other.customerId);
  return { ...reason, rank: isCertain ? 1 : 3, isCertain, isLikely: true };
}

const candidate = (one: SaleRecord, other: SaleRecord, reason: Reason): Candidate => {
  const [first, second] = one.id < other.id ? [one, other] : [other, one];
  return {
    first: first.id,
    second: second.id,
    evidence: reason.evidence,
    reference: reason.reference,
    isCertain: reason.isCertain ?? false,
    isLikely: reason.isLikely ?? false,
    decision: reason.decision ?? null,
    apartMs: Math.abs(one.at - other.at),
    rank: reason.rank,
    isRestored: reason.isRestored ?? false,
    order: one.key < other.key ? `${one.key}|${other.key}` : `${other.key}|${one.key}`,
  };
};
