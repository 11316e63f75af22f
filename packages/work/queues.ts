/** Work that waits in a table by key. One worker at a time holds a key and processes its items in batches. */
export interface QueueKind {
  readonly name: string;
  /** What it does, for operators who see the name in a log. */
  readonly about: string;
  /** The module whose handler processes it. */
  readonly owner: string;
  /** The tables that hold its items, for counts and for the sweep that finds unannounced items. */
  readonly tables: readonly string[];
  /** The key column of these tables; `profile_id` by default. */
  readonly key?: string;
  /** The condition for waiting rows of these tables; all rows by default. */
  readonly where?: string;
  /** The maximum number of items per batch over all its keys; then other keys are claimed. */
  readonly batchSize: number;
  /** How many batches one process handles in parallel. */
  readonly atOnce: number;
  /** How many keys a batch has, for a handler that processes many together; one by default. */
  readonly keysAtOnce?: number;
  /** How long a crashed worker keeps its keys. Live workers extend the lease. */
  readonly leaseSeconds: number;
  /**
   * The minimum pause of a key between two batches, so that items that trickle in form one batch instead of many. For batches of many keys,
   * also the pause after one that was not full.
   */
  readonly paceMs: number;
}

const queue = (kind: QueueKind): QueueKind => kind;

/** All queues. apps/worker maps each to its handler and does not compile while one is missing. */
export const queues = {
  attribution: queue({
    name: 'attribution',
    about: 'Attributes conversions to touches again after every change that may affect them.',
    owner: 'attribution',
    tables: ['dirty_conversions'],
    batchSize: 5_000,
    atOnce: 2,
    // A batch costs nearly the same for one profile and for hundreds.
    keysAtOnce: 500,
    leaseSeconds: 30,
    paceMs: 1_000,
  }),
  delivery: queue({
    name: 'delivery',
    about: 'Copies ad spend and delivery to ClickHouse, where reports read them.',
    owner: 'campaigns',
    tables: ['dirty_entities', 'dirty_delivery'],
    batchSize: 5_000,
    atOnce: 2,
    leaseSeconds: 15,
    paceMs: 200,
  }),
  firstPayments: queue({
    name: 'first-payments',
    about: 'Derives first payments again after a merge or a definition changed the payments of a customer.',
    owner: 'payments',
    tables: ['dirty_customers'],
    // A batch of this size blocks writers of its outcomes for some milliseconds.
    batchSize: 200,
    atOnce: 2,
    leaseSeconds: 30,
    paceMs: 100,
  }),
  sales: queue({
    name: 'sales',
    about: 'Matches records of one sale across sources, and decides which of them counts.',
    owner: 'sales',
    tables: ['dirty_sales', 'sale_rescans'],
    batchSize: 2_000,
    atOnce: 2,
    leaseSeconds: 60,
    paceMs: 100,
  }),
  erasures: queue({
    name: 'erasures',
    about: 'Removes erased customers from ClickHouse, the invalid visits and the dead letters.',
    owner: 'erasures',
    tables: ['erasure_work'],
    where: 'NOT is_set_aside',
    // A ClickHouse mutation costs the same for one person and for a thousand.
    batchSize: 1_000,
    atOnce: 2,
    leaseSeconds: 60,
    paceMs: 500,
  }),
  webhooks: queue({
    name: 'webhooks',
    about: 'Sends events to webhook subscriptions, in order for each subscription.',
    owner: 'webhooks',
    tables: ['webhook_work'],
    key: 'subscription_id',
    where: 'due_at <= now()',
    // The number of events that are sent twice after a worker crashes.
    batchSize: 250,
    // Most batches wait for receivers.
    atOnce: 64,
    leaseSeconds: 30,
    paceMs: 50,
  }),
  exports: queue({
    name: 'exports',
    about: 'Sends outcomes to ad platforms, in batches that a platform accepts or rejects as a whole.',
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
    about: 'Queries the ad platform for the result of changes whose response was lost.',
    owner: 'ad-operations',
    tables: ['ad_actions'],
    where: "due_at < 'infinity'",
    batchSize: 20,
    // Most batches wait for platforms.
    atOnce: 8,
    leaseSeconds: 60,
    paceMs: 200,
  }),
  syncs: queue({
    name: 'syncs',
    about: 'Syncs data of connected accounts from providers, one connection at a time.',
    owner: 'connections',
    tables: ['syncs'],
    key: 'connection_id',
    where: 'due_at <= now()',
    batchSize: 1,
    // Most batches wait for providers.
    atOnce: 32,
    // Lets another worker continue the run of a crashed one within seconds.
    leaseSeconds: 10,
    paceMs: 0,
  }),
  reconciliations: queue({
    name: 'reconciliations',
    about: 'Compares the ledger with the totals of the reports.',
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
    about: 'Sends scheduled reports by e-mail to their recipients.',
    owner: 'report-mails',
    tables: ['report_mails', 'report_mail_deliveries'],
    where: 'due_at <= now()',
    batchSize: 20,
    // Most batches wait for the mail server.
    atOnce: 4,
    leaseSeconds: 60,
    paceMs: 0,
  }),
  alertMails: queue({
    name: 'alert-mails',
    about: 'Notifies members by e-mail that an alert was opened or resolved.',
    owner: 'alerts',
    tables: ['alert_mails'],
    where: 'due_at <= now()',
    batchSize: 20,
    // Most batches wait for the mail server.
    atOnce: 4,
    leaseSeconds: 60,
    paceMs: 0,
  }),
  tenantDeletions: queue({
    name: 'tenant-deletions',
    about:
      'Removes deleted profiles and workspaces from every store, and checks again a day later. Workspaces first stay restorable for a week.',
    owner: 'tenants',
    tables: ['tenant_deletions'],
    where:
      'NOT is_set_aside AND (look_again_at IS NULL OR look_again_at <= now()) AND (restorable_until IS NULL OR restorable_until <= now())',
    batchSize: 1,
    atOnce: 1,
    leaseSeconds: 15,
    // It waits for the visit stream or ClickHouse, which take a while.
    paceMs: 1_000,
  }),
} as const;

export type QueueName = keyof typeof queues;
