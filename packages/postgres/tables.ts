import type { Schema } from './ledger.ts';

/** Whose a table is: a room of domain/, or a package by its path. */
export type Owner = string;

type Table = Exclude<keyof Schema, `pgboss.${string}`>;

/**
 * Every table and view, and whose it is. Nobody else reads or writes it: others ask its owner. `npm run check` reads the SQL of all rooms and
 * says where that is not so.
 */
export const tableOwners = {
  accounts: 'accounts',
  ad_action_entries: 'ad-operations',
  ad_actions: 'ad-operations',
  ad_delivery: 'campaigns',
  ad_delivery_history: 'campaigns',
  ad_entities: 'campaigns',
  ad_entities_history: 'campaigns',
  api_keys: 'credentials',
  app_tokens: 'credentials',
  apps: 'credentials',
  attribution_freshness: 'attribution',
  attribution_replays: 'attribution',
  audit_heads: 'accountability',
  audit_log: 'accountability',
  bad_visit_days: 'ingestion',
  bad_visits: 'ingestion',
  creative_analyses: 'creatives',
  connections: 'connections',
  customers: 'customers',
  definition_events: 'definitions',
  definitions: 'definitions',
  dirty_conversions: 'outcomes',
  dirty_customers: 'outcomes',
  dirty_delivery: 'campaigns',
  dirty_entities: 'campaigns',
  erasure_work: 'erasures',
  erasures: 'erasures',
  event_counter: 'events',
  event_log: 'events',
  exchange_rates: 'money',
  exchange_rates_history: 'money',
  export_events: 'exports',
  export_runs: 'exports',
  export_targets: 'exports',
  grants: 'credentials',
  handoffs: 'handoffs',
  idempotent_answer_people: 'packages/operations',
  idempotent_answers: 'packages/operations',
  identifiers: 'customers',
  identity_conflicts: 'customers',
  installation_audit_log: 'accountability',
  first_account: 'accounts',
  invitations: 'accounts',
  journey_summaries: 'journeys',
  key_ring: 'packages/vault',
  members: 'accounts',
  kept_apart: 'customers',
  closings: 'reports',
  reconciliation_differences: 'reconciliation',
  reconciliations: 'reconciliation',
  merges: 'customers',
  experiments: 'experiments',
  model_fits: 'models',
  model_allowances: 'journeys',
  moved_conversions: 'attribution',
  oauth_access_tokens: 'accounts',
  oauth_client_assertions: 'accounts',
  oauth_client_resources: 'accounts',
  oauth_clients: 'accounts',
  oauth_consents: 'accounts',
  oauth_refresh_tokens: 'accounts',
  oauth_resources: 'accounts',
  outbox: 'events',
  outcome_meanings: 'outcomes',
  outcome_total_meanings: 'outcomes',
  outcome_totals: 'outcomes',
  outcomes: 'outcomes',
  outcomes_without_rate: 'outcomes',
  payment_entries: 'payments',
  payment_refunds: 'payments',
  pending_selections: 'handoffs',
  payments: 'payments',
  pii_access_log: 'accountability',
  profile_settings_history: 'tenants',
  profiles: 'tenants',
  profiles_with_ads: 'campaigns',
  provider_pauses: 'connections',
  refused_visits: 'ingestion',
  score_rebuilds: 'top-performers',
  search_terms: 'customers',
  sessions: 'accounts',
  site_searches: 'connections',
  syncs: 'connections',
  tenant_deletions: 'tenants',
  tombstones: 'customers',
  tracking_domains: 'tracking',
  tracking_keys: 'tracking',
  tracking_settings: 'tracking',
  tracking_verifications: 'tracking',
  two_factors: 'accounts',
  partner_touches: 'partners',
  passkeys: 'accounts',
  users: 'accounts',
  verifications: 'accounts',
  visitor_links: 'ingestion',
  webhook_deliveries: 'webhooks',
  webhook_subscriptions: 'webhooks',
  webhook_work: 'webhooks',
  work_set_aside: 'packages/work',
  work_turns: 'packages/work',
  workspaces: 'tenants',
} as const satisfies Record<Table, Owner>;

/** Somebody who uses tables that are another's, and why they cannot ask. */
export interface Guest {
  readonly who: Owner;
  readonly tables: readonly string[];
  readonly reason: string;
}

export const guests: readonly Guest[] = [
  { who: 'attribution', tables: ['dirty_conversions'], reason: 'A queue: rooms below mark, this room works it off.' },
  {
    who: 'packages/operations',
    tables: ['pii_access_log'],
    reason: 'The gate writes an entry before anything leaves, and a package knows no room.',
  },
  { who: 'payments', tables: ['dirty_customers'], reason: 'A queue: rooms below mark, this room works it off.' },
  { who: 'top-performers', tables: ['profiles_with_ads'], reason: 'Whose ads were ever recorded is whom to score.' },
  {
    who: 'payments',
    tables: ['outcome_meanings'],
    reason: 'The view is how rooms above read outcomes with what they mean.',
  },
  {
    who: 'attribution',
    tables: ['outcomes', 'partner_touches', 'definitions', 'definition_events', 'visitor_links', 'profiles'],
    reason:
      'Stages millions of rows for ClickHouse as text, in one snapshot. Behind the fence that keeps its plan, a view is planned for each row.',
  },
  {
    who: 'customers',
    tables: ['erasure_work'],
    reason:
      'Whoever says a name again while its erasure is under way waits for it, in one statement with the tombstones.',
  },
];
