import type { Channel } from '@tributary/vocabulary';

/** What happens to a connected account, in the order of the table. */
export const lifeEvents = [
  'consent',
  'first sync',
  'mapping',
  'attribution',
  'new records',
  'changed',
  'reopened',
  'merged',
  'archived or deleted',
  'moved',
  'partial refund',
  'full refund',
  'dispute lost',
  'dispute won',
  'refund then dispute',
  'refund failed',
  'restated',
  'token expired',
  'revoked, reconnected',
  'outage',
  'throttled',
  'page cut off',
  'second account',
  'lost webhook',
  'webhook twice, out of order',
  'a month passes',
] as const;
export type LifeEvent = (typeof lifeEvents)[number];

/** These come first, in this order; the others in any. */
export const beginnings: readonly LifeEvent[] = ['consent', 'first sync', 'mapping'];

/** What is true of a profile, by name: `payment ch_1` is `49.90 USD, 0 back`. The book's and the ledger's must be equal. */
export type Facts = ReadonlyMap<string, string>;

/** A fault that lasts: one or two syncs run into it, then it ends. */
export interface LastingFault {
  end(): unknown;
}

export const isLasting = (made: unknown): made is LastingFault =>
  typeof made === 'object' && made !== null && 'end' in made;

/** One provider, connected to a profile of its own, through everything that can happen to it. */
export interface Life {
  readonly name: string;
  readonly channel: Channel;
  readonly profileId: string;
  /** By connection id. */
  readonly connections: readonly string[];
  /** What happens at the provider. An event that is a `LastingFault`, or a promise of one, lasts until it is ended. */
  readonly events: Partial<Record<LifeEvent, () => unknown>>;
  /** What the sandbox's book says at this moment. */
  expected(): Promise<Facts> | Facts;
  /** What the ledger, the reports and the published events say. */
  actual(): Promise<Facts>;
}

export interface Cell {
  compared: number;
  differences: number;
}

export interface Difference {
  readonly provider: string;
  readonly event: LifeEvent;
  readonly fact: string;
  readonly book: string | null;
  readonly ours: string | null;
}

/** Names of all facts in which the two differ, and how many facts there are. */
export function compareFacts(book: Facts, ours: Facts) {
  const names = new Set([...book.keys(), ...ours.keys()]);
  const different = [...names].filter((name) => book.get(name) !== ours.get(name));
  return {
    compared: names.size,
    differences: different.map((fact) => ({ fact, book: book.get(fact) ?? null, ours: ours.get(fact) ?? null })),
  };
}

/** An amount without zeros that say nothing: `25.50` and `25.5` are the same. */
export function plainAmount(amount: string | number | null | undefined): string {
  if (amount === null || amount === undefined) return '-';
  const text = String(amount);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
