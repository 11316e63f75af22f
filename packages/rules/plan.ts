import { type Plan, plans } from '@tributary/vocabulary';

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(plans, name);
}

/** What a profile sends in a day, or may. */
export interface DailyAmounts {
  readonly visits: number;
  /** Visits that cannot be understood. They have room of their own, so that they take none from the others. */
  readonly broken: number;
  readonly bytes: number;
}

const least: DailyAmounts = { visits: 0, broken: 1_000, bytes: 16 << 20 };
const leastOfAddress: DailyAmounts = { visits: 100, broken: 50, bytes: 1 << 20 };
/** Several times what a visit with all that belongs to it usually has. */
const bytesPerVisit = 2_048;

/** What is taken of a profile in a day. */
export function dailyAmounts(plan: string | undefined, own: number | null): DailyAmounts {
  const visits = visitsPerDay(plan, own);
  return atLeast(least, { visits, broken: visits / 10, bytes: visits * bytesPerVisit });
}

/** What one address may take of it. The tracking key is public: whoever copies it must not use up what the shop's visitors need. */
export function amountsOfAddress({ visits, broken, bytes }: DailyAmounts, share: number): DailyAmounts {
  return atLeast(leastOfAddress, { visits: visits * share, broken: broken * share, bytes: bytes * share });
}

const atLeast = (lower: DailyAmounts, { visits, broken, bytes }: DailyAmounts): DailyAmounts => ({
  visits: Math.max(lower.visits, Math.floor(visits)),
  broken: Math.max(lower.broken, Math.floor(broken)),
  bytes: Math.max(lower.bytes, Math.floor(bytes)),
});

/** The visits of a profile that are taken in a day: what its plan includes, or less where the profile says so itself. */
export function visitsPerDay(plan: string | undefined, own: number | null): number {
  const included = plans[plan !== undefined && isPlan(plan) ? plan : 'free'].visitsPerDay;
  return Math.min(included, own ?? included);
}
