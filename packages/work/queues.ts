/** Work that waits in a table, by key. A key is one worker's at a time, and what waits under it is worked off in batches. */
export interface QueueKind {
  readonly name: string;
  /** What it does, for the operator who meets the name in a log. */
  readonly about: string;
  /** The room whose handler works it off. */
  readonly owner: string;
  /** Where its items are: for whoever counts them, and looks for what no notification told of. */
  readonly tables: readonly string[];
  /** The column of these tables that is the key; the profile, where nothing is said. */
  readonly key?: string;
  /** Which rows of these tables wait; all, where nothing is said. */
  readonly where?: string;
  /** Items of one turn, of all its keys together; then the other keys get theirs. */
  readonly batchSize: number;
  /** Turns that one process works on at the same time. */
  readonly atOnce: number;
  /** Keys of one turn, for a handler that works on many together; one, where nothing is said. */
  readonly keysAtOnce?: number;
  /** How long a key stays with a worker that has died. Whoever lives prolongs it. */
  readonly leaseSeconds: number;
  /** A key's breath between two turns: what trickles in meanwhile makes one batch instead of many. Where a turn has many keys, also the breath between two that were not full. */
  readonly paceMs: number;
}

const queue = (kind: QueueKind): QueueKind => kind;

/** Every queue there is. apps/worker maps each to its handler, and does not compile while one is missing. */
export const queues = {
  attribution: queue({
    name: 'attribution',
    about: 'Works out which touches a conversion owes to, after whatever may have changed that.',
    owner: 'attribution',
    tables: ['dirty_conversions'],
    batchSize: 5_000,
    atOnce: 2,
    // Of what a batch costs, nearly all is the same for one profile and for hundreds.
    keysAtOnce: 500,
    leaseSeconds: 30,
    paceMs: 1_000,
  }),
  delivery: queue({
    name: 'delivery',
    about: 'Copies what ads cost and did into the columns that reports read.',
    owner: 'campaigns',
    tables: ['dirty_entities', 'dirty_delivery'],
    batchSize: 5_000,
    atOnce: 2,
    leaseSeconds: 15,
    paceMs: 200,
  }),
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
  sales: queue({
    name: 'sales',
    about: 'Finds records of one sale across sources, and which of them counts.',
    owner: 'sales',
    tables: ['dirty_sales', 'sale_rescans'],
    batchSize: 2_000,
    atOnce: 2,
    leaseSeconds: 60,
    paceMs: 100,
  }),
  erasures: queue({
    name: 'erasures',
    about: 'Clears people who were erased from the columns, the bad rows and the dead letters.',
    owner: 'erasures',
    tables: ['erasure_work'],
    where: 'NOT is_set_aside',
    // A mutation of ClickHouse costs the same for one person as for a thousand.
    batchSize: 1_000,
    atOnce: 2,
    leaseSeconds: 60,
    paceMs: 500,
  }),
  webhooks: queue({
    name: 'webhooks',
    about: 'Sends events to the webhook subscriptions that asked for them, each in its turn.',
    owner: 'webhooks',
    tables: ['webhook_work'],
    key: 'subscription_id',
    where: 'due_at <= now()',
    // A worker that dies sends so many a second time.
    batchSize: 250,
    // Mostly they wait for receivers.
    atOnce: 64,
    leaseSeconds: 30,
    paceMs: 50,
  }),
  exports: queue({
    name: 'exports',
    about: 'Tells ad platforms of outcomes, in batches that a platform takes or refuses as a whole.',
    owner: 'exports',
    tables: ['export_events'],
    where: "status IN ('waiting', 'processing') AND due_at <= now()",
    batchSize: 1_000,
    atOnce: 4,
    leaseSeconds: 60,
    paceMs: 200,
  }),
  adActions: queue({
    name: 'ad-actions',
    about: 'Looks up at the ad platform what became of changes whose answer was lost.',
    owner: 'ad-operations',
    tables: ['ad_actions'],
    where: "due_at < 'infinity'",
    batchSize: 20,
    // Mostly they wait for platforms.
    atOnce: 8,
    leaseSeconds: 60,
    paceMs: 200,
  }),
  syncs: queue({
    name: 'syncs',
    about: 'Reads what providers say of connected accounts, one connection at a time.',
    owner: 'connections',
    tables: ['syncs'],
    key: 'connection_id',
    where: 'due_at <= now()',
    batchSize: 1,
    // Mostly they wait for providers.
    atOnce: 32,
    // A run whose worker died goes on within seconds.
    leaseSeconds: 10,
    paceMs: 0,
  }),
  reconciliations: queue({
    name: 'reconciliations',
    about: 'Compares what was recorded with what reports add up.',
    owner: 'reconciliation',
    tables: ['reconciliations'],
    where: "state = 'queued'",
    batchSize: 1,
    atOnce: 1,
    leaseSeconds: 60,
    paceMs: 0,
  }),
  scores: queue({
    name: 'scores',
    about: 'Scores the ads of a profile against each other.',
    owner: 'top-performers',
    tables: ['score_rebuilds'],
    where: 'is_due',
    batchSize: 1,
    atOnce: 1,
    leaseSeconds: 60,
    paceMs: 0,
  }),
  reportMails: queue({
    name: 'report-mails',
    about: 'Sends reports by e-mail to the members who are to get them.',
    owner: 'report-mails',
    tables: ['report_mails', 'report_mail_deliveries'],
    where: 'due_at <= now()',
    batchSize: 20,
    // Mostly they wait for the mail server.
    atOnce: 4,
    leaseSeconds: 60,
    paceMs: 0,
  }),
  alertMails: queue({
    name: 'alert-mails',
    about: 'Tells members by e-mail that an alert was opened or is over.',
    owner: 'alerts',
    tables: ['alert_mails'],
    where: 'due_at <= now()',
    batchSize: 20,
    // Mostly they wait for the mail server.
    atOnce: 4,
    leaseSeconds: 60,
    paceMs: 0,
  }),
  tenantDeletions: queue({
    name: 'tenant-deletions',
    about:
      'Removes deleted profiles and workspaces from every store, and looks again a day later. Workspaces first stay restorable for a week.',
    owner: 'tenants',
    tables: ['tenant_deletions'],
    where:
      'NOT is_set_aside AND (look_again_at IS NULL OR look_again_at <= now()) AND (restorable_until IS NULL OR restorable_until <= now())',
    batchSize: 1,
    atOnce: 1,
    leaseSeconds: 15,
    // What it waits for, the log or ClickHouse, takes its time.
    paceMs: 1_000,
  }),
} as const;

export type QueueName = keyof typeof queues;
