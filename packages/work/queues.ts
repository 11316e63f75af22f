/** Work that waits in a table, by key. A key is one worker's at a time, and what waits under it is worked off in batches. */
export interface QueueKind {
  readonly name: string;
  /** What it does, for the operator who meets the name in a log. */
  readonly about: string;
  /** The room whose handler works it off. */
  readonly owner: string;
  /** Where its items are, with the profile as key: for whoever counts them, and looks for what no notification told of. */
  readonly tables: readonly string[];
  /** Which rows of these tables wait; all, where nothing is said. */
  readonly where?: string;
  /** Items of one turn; then the other keys get theirs. */
  readonly batchSize: number;
  /** Keys that one process works on at the same time. */
  readonly atOnce: number;
  /** How long a key stays with a worker that has died. Whoever lives prolongs it. */
  readonly leaseSeconds: number;
  /** A key's breath between two turns: what trickles in meanwhile makes one batch instead of many. */
  readonly paceMs: number;
}

const queue = (kind: QueueKind): QueueKind => kind;

/** Every queue there is. apps/worker maps each to its handler, and does not compile while one is missing. */
export const queues = {
  firstPayments: queue({
    name: 'first-payments',
    about: 'Derives first payments again where a merge or a definition changed which payments a customer has.',
    owner: 'payments',
    tables: ['dirty_customers'],
    // So many at once keep writers of their outcomes waiting for some milliseconds.
    batchSize: 200,
    atOnce: 2,
    leaseSeconds: 30,
    paceMs: 100,
  }),
} as const;

export type QueueName = keyof typeof queues;
