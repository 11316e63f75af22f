/** What a workspace's plan includes, and which plan comes next. */
export const plans = {
  free: { activeProfiles: 3, visitsPerDay: 100_000, next: 'growth' },
  growth: { activeProfiles: 25, visitsPerDay: 2_000_000, next: 'scale' },
  scale: { activeProfiles: 10_000, visitsPerDay: 100_000_000, next: 'scale' },
} as const;

export type Plan = keyof typeof plans;

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(plans, name);
}

/** The visits of a profile that are taken in a day: what its plan includes, or less where the profile says so itself. */
export function visitsPerDay(plan: string | undefined, own: number | null): number {
  const included = plans[plan !== undefined && isPlan(plan) ? plan : 'free'].visitsPerDay;
  return Math.min(included, own ?? included);
}
