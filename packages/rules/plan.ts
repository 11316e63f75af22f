import { type Plan, plans } from '@tributary/vocabulary';

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(plans, name);
}

/** The visits of a profile that are taken in a day: what its plan includes, or less where the profile says so itself. */
export function visitsPerDay(plan: string | undefined, own: number | null): number {
  const included = plans[plan !== undefined && isPlan(plan) ? plan : 'free'].visitsPerDay;
  return Math.min(included, own ?? included);
}
