/** What a workspace's plan includes, and which plan comes next. */
export const plans = {
  free: { activeProfiles: 3, next: 'growth' },
  growth: { activeProfiles: 25, next: 'scale' },
  scale: { activeProfiles: 10_000, next: 'scale' },
} as const;

export type Plan = keyof typeof plans;

export function isPlan(name: string): name is Plan {
  return name in plans;
}
