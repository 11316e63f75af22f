import { type Plan, plans } from '@tributary/vocabulary';

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(plans, name);
}

/** Daily amounts of a profile: used or allowed. */
export interface DailyAmounts {
  readonly visits: number;
  /** Invalid visits. They have a quota of their own, so that they do not use up that of valid ones. */
  readonly broken: number;
  readonly bytes: number;
}

const minimum: DailyAmounts = { visits: 0, broken: 1_000, bytes: 16 << 20 };
const minimumOfAddress: DailyAmounts = { visits: 100, broken: 50, bytes: 1 << 20 };
/** Several times the usual size of a visit. */
const bytesPerVisit = 2_048;

/** The daily quota of a profile. */
export function dailyAmounts(plan: string | undefined, own: number | null): DailyAmounts {
  const visits = visitsPerDay(plan, own);
  return atLeast(minimum, { visits, broken: visits / 10, bytes: visits * bytesPerVisit });
}

/**
 * The daily quota of one IP address. The tracking key is public: a party that copies it must not use up the quota of
 * the shop's visitors.
 */
export function amountsOfAddress({ visits, broken, bytes }: DailyAmounts, share: number): DailyAmounts {
  return atLeast(minimumOfAddress, { visits: visits * share, broken: broken * share, bytes: bytes * share });
}

const atLeast = (lower: DailyAmounts, { visits, broken, bytes }: DailyAmounts): DailyAmounts => ({
  visits: Math.max(lower.visits, Math.floor(visits)),
  broken: Math.max(lower.broken, Math.floor(broken)),
  bytes: Math.max(lower.bytes, Math.floor(bytes)),
});

/** The daily visits of a profile: what its plan includes, or less if the profile sets a lower limit. */
export function visitsPerDay(plan: string | undefined, own: number | null): number {
  const included = plans[plan !== undefined && isPlan(plan) ? plan : 'free'].visitsPerDay;
  return Math.min(included, own ?? included);
}
