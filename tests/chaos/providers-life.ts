import type { Channel } from '@tributary/vocabulary';

/** Events in the life of a connected account, in the order of the printed table. */
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

/** The first events, in this order. The others come in any order. */
export const beginnings: readonly LifeEvent[] = ['consent', 'first sync', 'mapping'];

/** Facts about a profile by name: `payment ch_1` is `49.90 USD, 0 back`. Those of the book and of the ledger must be equal. */
export type Facts = ReadonlyMap<string, string>;

/** A fault that lasts for one or two syncs, until `end` is called. */
export interface LastingFault {
  end(): unknown;
}

export const isLasting = (made: unknown): made is LastingFault =>
  typeof made === 'object' && made !== null && 'end' in made;

/** The simulated life of one provider that is connected to a profile of its own. */
export interface Life {
  readonly name: string;
  readonly channel: Channel;
  readonly profileId: string;
  /** The ids of its connections. */
  readonly connections: readonly string[];
  /** Triggers each event at the provider. If the result is a `LastingFault`, or a promise of one, the event lasts until `end` is called. */
  readonly events: Partial<Record<LifeEvent, () => unknown>>;
  /** The facts in the sandbox's book at this moment. */
  expected(): Promise<Facts> | Facts;
  /** The facts in the ledger, the reports and the published events. */
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

/** Returns the facts that differ, and the number of facts compared. */
export function compareFacts(book: Facts, ours: Facts) {
  const names = new Set([...book.keys(), ...ours.keys()]);
  const different = [...names].filter((name) => book.get(name) !== ours.get(name));
  return {
    compared: names.size,
    differences: different.map((fact) => ({ fact, book: book.get(fact) ?? null, ours: ours.get(fact) ?? null })),
  };
}

/** Formats an amount without trailing zeros, so that `25.50` and `25.5` are equal. */
export function plainAmount(amount: string | number | null | undefined): string {
  if (amount === null || amount === undefined) return '-';
  const text = String(amount);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
