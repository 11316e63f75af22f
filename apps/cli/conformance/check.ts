import type { Context } from './context.ts';

/** The sections of a report in order: the areas of the rules by id, then behaviour without rule ids. */
export const sections = {
  conventions: 'conv',
  authentication: 'auth',
  errors: 'err',
  limits: 'lim',
  idempotency: undefined,
  pagination: undefined,
  ingestion: 'inge',
  customers: 'cust',
  journeys: 'jour',
  'link-tokens': 'link',
  erasures: 'eras',
  attribution: undefined,
  campaigns: 'camp',
  comparison: 'comp',
  'top-performers': 'top',
  'ad-operations': 'ops',
  partners: 'part',
  connections: 'conn',
  'hand-offs': 'hand',
  webhooks: 'hook',
  events: 'evnt',
  tracking: 'track',
  payments: 'pay',
  exports: undefined,
  versioning: 'ver',
} as const;
export type Section = keyof typeof sections;

/** Requirements that some installations lack; checks that need them are skipped there. */
export const needs = {
  app: 'the credentials of an app (--app)',
  clock: 'a clock that can be advanced (TEST_CLOCK)',
  receiver: 'webhooks to local addresses (WEBHOOK_LOCAL_HOSTS)',
} as const;
export type Need = keyof typeof needs;

/** One statement about the API that can be checked from outside. */
export interface Check {
  readonly section: Section;
  /** The rules that it verifies, of any area. */
  readonly rules: readonly string[];
  readonly title: string;
  readonly needs: readonly Need[];
  /** Rejects when the installation behaves differently. */
  run(context: Context): Promise<void>;
}

type Run = Check['run'];

/** The checks of a section. Several rules may be given in one string: `'cust-040 cust-041'`. */
export function checksOf(section: Section, list: (add: Add) => void): readonly Check[] {
  const checks: Check[] = [];
  list((rules, title, run, ...needed) =>
    checks.push({ section, rules: rules.split(' ').filter((id) => id !== ''), title, needs: needed, run }),
  );
  return checks;
}

type Add = (rules: string, title: string, run: Run, ...needed: Need[]) => void;
