import { limits } from './limits.ts';
import { saleRetention } from './sales.ts';

/** Retention periods that the operator sets, by the name of the setting. */
export type LifeSetting = 'BAD_VISIT_DAYS' | 'VISITS_RETENTION_DAYS' | 'DEAD_LETTER_DAYS';

/** How the growth of a store is limited, or why it may grow. `words` are for the operators' page. */
export type RetentionPolicy =
  /** A nightly job deletes rows this many days after a time in `age`, by their `key`. */
  | Swept
  /** A row expires at `expires_at`; an hourly job deletes it. */
  | { readonly ends: 'expired'; readonly key: readonly string[]; readonly words: string }
  /** The storage engine deletes after this many days. */
  | { readonly ends: 'by the engine'; readonly days: number | LifeSetting; readonly words: string }
  /** A nightly job drops whole quarters that are older. */
  | { readonly ends: 'by the quarter'; readonly days: LifeSetting; readonly words: string }
  /** A queue: rows are deleted when processed. */
  | { readonly ends: 'until processed'; readonly words: string }
  /** It does not grow with time: one row per other object, or a limited number. */
  | { readonly ends: 'bounded'; readonly words: string }
  /** It grows and is kept as long as its owner exists. The words are the reason. */
  | { readonly ends: 'kept'; readonly words: string };

export interface Swept {
  readonly ends: 'swept';
  readonly days: number | Extract<LifeSetting, 'BAD_VISIT_DAYS'>;
  readonly age: readonly string[];
  readonly key: readonly string[];
  readonly words: string;
}

const bounded = (words: string): RetentionPolicy => ({ ends: 'bounded', words });
const permanent = (words: string): RetentionPolicy => ({ ends: 'kept', words });
const queue = (words: string): RetentionPolicy => ({ ends: 'until processed', words });
const expired = (key: readonly string[], words: string): RetentionPolicy => ({ ends: 'expired', key, words });
const swept = (
  days: Swept['days'],
  age: readonly string[],
  key: readonly string[],
  words: string,
): RetentionPolicy => ({
  ends: 'swept',
  days,
  age,
  key,
  words,
});
const byTheEngine = (days: number | LifeSetting, words: string) => ({ ends: 'by the engine', days, words }) as const;

/** Expired credentials are still shown and looked up in the audit log for a year. */
const yearDays = 365;
/** Figures from before they were restated. */
const historyDays = limits.asOf.keptDays;

/**
 * Every store, by engine, with its retention or the reason why it has none. Cleanup jobs read it,
 * docs/operations/retention.md is generated from it, and a test compares it with the engines: a table that is missing
 * here fails the test.
 */
export const retentionPolicies = {
  postgres: {
    accounts: bounded('One per sign-in method of a user.'),
    ad_action_entries: permanent('Every attempt and result of an action at an ad platform. Deleted with the profile.'),
    ad_actions: permanent('Changes made at ad platforms, by whom, and how to undo them. Deleted with the profile.'),
    ad_delivery: permanent(
      'Spend and delivery of each ad by day, the basis of every report. Deleted with the profile.',
    ),
    ad_delivery_history: swept(
      historyDays,
      ['replaced_at'],
      ['profile_id', 'entity_id', 'day', 'revision'],
      'Reported days before the platform restated them.',
    ),
    ad_entities: permanent(
      'Campaigns, ad sets and ads; reports need their names at any age. Deleted with the profile.',
    ),
    ad_entities_history: swept(
      historyDays,
      ['replaced_at'],
      ['profile_id', 'id', 'revision'],
      'Earlier versions of campaigns, ad sets and ads.',
    ),
    shared_views: swept(
      yearDays,
      ['revoked_at', 'expires_at'],
      ['profile_id', 'id'],
      'Revoked and expired links to reports; the audit log keeps who created them.',
    ),
    saved_views: bounded('A few per profile, until removed.'),
    report_mails: bounded('A few per profile, until stopped.'),
    report_mail_deliveries: swept(
      90,
      ['sent_for'],
      ['profile_id', 'mail_id', 'sent_for', 'user_id'],
      'Report mails by member, and their delivery state.',
    ),
    alerts: swept(limits.alerts.keptDays, ['ended_at'], ['profile_id', 'id'], 'Ended alerts.'),
    alert_mails: swept(
      limits.alerts.keptDays,
      ['made_at'],
      ['profile_id', 'alert_id', 'moment', 'user_id'],
      'Alert mails by member, and their delivery state.',
    ),
    alert_wishes: bounded('At most one per member and profile: whether they receive alerts by e-mail.'),
    last_visits: bounded('One per profile: the time of its last visit, and its longest pause.'),
    api_keys: swept(
      yearDays,
      ['revoked_at', 'expires_at'],
      ['profile_id', 'id'],
      'Revoked and expired keys; the audit log keeps who used them for what.',
    ),
    app_tokens: expired(['hash'], 'Tokens of apps.'),
    apps: bounded('Registered by the operator.'),
    attribution_freshness: bounded('One per profile.'),
    attribution_replays: swept(yearDays, ['finished_at'], ['profile_id', 'id'], 'Ended replays.'),
    audit_heads: bounded('One per workspace.'),
    audit_log: permanent('A hash chain: removing an entry breaks it. Deleted with the workspace.'),
    bad_visit_days: swept('BAD_VISIT_DAYS', ['day'], ['profile_id', 'day'], 'The volume of stored bad visits by day.'),
    bad_visits: swept(
      'BAD_VISIT_DAYS',
      ['received_at'],
      ['profile_id', 'id'],
      'Invalid visits, until they are replayed.',
    ),
    connections: bounded('One per connected account; credentials are deleted on disconnect.'),
    creative_analyses: bounded('The latest one of each ad.'),
    creative_pictures: swept(
      limits.creativePictures.keptDays,
      ['tried_at'],
      ['profile_id', 'ad_id'],
      'Thumbnails of ads that were not viewed recently.',
    ),
    customers: permanent('Customers of a profile, until erased or until the profile is deleted.'),
    definition_events: bounded('One per event that a definition names.'),
    definitions: bounded('Created by hand.'),
    dirty_conversions: queue('Conversions waiting to be attributed again.'),
    dirty_customers: queue('Customers whose first payments are recomputed.'),
    dirty_delivery: queue('Days of delivery waiting to be copied to ClickHouse.'),
    dirty_entities: queue('Ads waiting to be copied to ClickHouse.'),
    erasure_work: queue('Running erasures.'),
    erasures: permanent(
      'Receipts: proof of an erasure, which may be requested years later. They contain no readable personal data.',
    ),
    event_counter: bounded('One row.'),
    event_log: swept(
      limits.outcomeReplay.keptDays,
      ['kept_from'],
      ['profile_id', 'sequence'],
      'Published events while they can be replayed, from an hour after publication, or from a later delivery.',
    ),
    exchange_rates: permanent('One per currency and day; amounts are converted at the rate of their day.'),
    exchange_rates_history: swept(
      historyDays,
      ['replaced_at'],
      ['currency', 'day', 'replaced_at'],
      'Rates before they were replaced.',
    ),
    grants: bounded('One per profile and app.'),
    handoffs: swept(
      limits.handoff.keptDays,
      ['completed_at'],
      ['profile_id', 'id'],
      'Ended hand-offs; their connections stay.',
    ),
    idempotent_answer_people: bounded('The people in a stored response; deleted with it.'),
    idempotent_answers: expired(['owner_id', 'key_hash'], 'Responses replayed for repeated requests.'),
    identifiers: permanent('Identifiers of customers. Deleted with the customer.'),
    identity_conflicts: permanent(
      'Identifiers claimed by two customers, one row per pair; the reason why they were not merged. Deleted with the customer.',
    ),
    installation_audit_log: permanent('A hash chain, like the audit log of a workspace.'),
    first_account: bounded('At most one row, deleted when the first account is created.'),
    invitations: swept(90, ['expires_at'], ['workspace_id', 'id'], 'Expired invitations, accepted or not.'),
    journey_summaries: bounded('The latest per person.'),
    closings: bounded('One per closed month.'),
    reconciliation_differences: bounded('Differences of a reconciliation; deleted with it.'),
    reconciliations: swept(
      limits.reconciliation.keptDays,
      ['requested_at'],
      ['profile_id', 'id'],
      'Reconciliations of days.',
    ),
    kept_apart: permanent('Pairs of customers that a member separated. Deleted with either customer.'),
    merge_proposals: permanent('Pairs of keyed customers that share an identifier. Deleted with either customer.'),
    said_together: permanent('Pairs of customers named in one message. Deleted with either customer.'),
    key_ring: bounded('Created when an operator rotates keys; an old key still decrypts its data.'),
    members: bounded('One per person and workspace.'),
    campaign_tactics: bounded('One per campaign with a declared tactic.'),
    model_fits: swept(yearDays, ['finished_at'], ['profile_id', 'id'], 'Ended model fits.'),
    merges: permanent(
      'The surviving customer of each merged one, so that an id returned once stays valid. Deleted with the customer.',
    ),
    model_allowances: swept(31, ['day'], ['workspace_id', 'day'], 'The number of summaries of a workspace by day.'),
    moved_conversions: queue('Conversions whose time changed, until the row at the earlier time is removed.'),
    moved_tenants: bounded('The new server of moved workspaces and their profiles: ids only.'),
    oauth_access_tokens: bounded("Assistants' tokens; each is deleted with the session that granted it."),
    oauth_client_assertions: expired(['id'], 'Assertions used by OAuth clients, so that none is used twice.'),
    oauth_client_resources: bounded('The resources a client may request; deleted with the client.'),
    oauth_clients: permanent(
      'Registered assistants with a grant. An hourly job deletes those without one after a day.',
    ),
    oauth_consents: bounded('One per person, assistant and profile.'),
    oauth_refresh_tokens: bounded('None is issued.'),
    oauth_resources: bounded('One row.'),
    outbox: queue('Events waiting for a sequence number.'),
    ...saleRetention,
    outcome_totals: bounded('One per customer, event and currency.'),
    outcomes: permanent('Sales and payments: the ledger itself. Deleted with the profile.'),
    outcomes_without_rate: bounded(
      'Outcomes whose currency has no rate yet, at most one for each outcome; they are converted when the rate comes.',
    ),
    export_targets: bounded('One per ad account that receives conversion exports.'),
    experiments: bounded('At most 200 per profile; results of tests are kept.'),
    export_events: swept(
      limits.exports.keptDays,
      ['scheduled_at'],
      ['profile_id', 'target_id', 'outcome_id'],
      'The result of exporting an outcome to a platform.',
    ),
    export_runs: swept(yearDays, ['scheduled_at'], ['profile_id', 'id'], 'Results of export runs.'),
    partner_touches: permanent(
      'Ads that started conversations, and customers’ declared sources: part of the ledger. Deleted with the profile.',
    ),
    passkeys: bounded('A few per user.'),
    payment_entries: permanent(
      'Merchants’ entries on payments, one row each: the evidence behind a figure. Deleted with the profile.',
    ),
    pending_selections: bounded('The newest per profile and provider; its token is deleted after an hour.'),
    pii_access_log: swept(
      limits.piiAccessLog.keptDays,
      ['at'],
      ['workspace_id', 'at', 'id'],
      'Disclosures of personal data.',
    ),
    profile_settings_history: bounded('Earlier time zones and currencies of a profile; changed by hand.'),
    profiles: bounded('Created by hand.'),
    profiles_with_ads: bounded('One per profile.'),
    provider_pauses: bounded('One per provider.'),
    refused_visits: swept(
      'BAD_VISIT_DAYS',
      ['day'],
      ['profile_id', 'day', 'reason', 'teller'],
      'The number of rejected visits by day.',
    ),
    score_rebuilds: bounded('One per profile.'),
    search_terms: bounded('Search terms of customers; deleted with the customer.'),
    password_resets: expired(['user_id'], 'Links that set a new password.'),
    sessions: expired(['id'], "Signed-in users. Assistants' tokens granted by a session are deleted with it."),
    site_searches: swept(
      limits.searchTerms.keptDays,
      ['day'],
      ['profile_id', 'day', 'connection_id', 'hash'],
      'Search queries that showed the site, as long as search engines report them.',
    ),
    syncs: bounded('One per connection: the cursor of its sync.'),
    tenant_deletions: queue('Tenants being deleted, until a day after.'),
    tombstones: permanent('Hashes of erased identifiers: without them an import would restore the person.'),
    tracking_domains: bounded('A few per profile.'),
    tracking_keys: swept(yearDays, ['revoked_at'], ['profile_id', 'id'], 'Replaced tracking keys.'),
    tracking_settings: bounded('One per profile.'),
    tracking_verifications: bounded('The latest per profile, and its latest proof.'),
    two_factors: bounded('At most one for each person.'),
    users: bounded('One per person who signs in.'),
    verifications: expired(['id'], 'Unused codes.'),
    visitor_links: permanent('The customer of each browser. Deleted with the customer.'),
    webhook_deliveries: swept(
      limits.webhookDeliveries.keptDays,
      ['touched_at'],
      ['profile_id', 'id'],
      'Webhook deliveries, counted from the last attempt. The events themselves are kept longer.',
    ),
    webhook_subscriptions: bounded('A few per profile.'),
    webhook_work: queue('Subscriptions with pending deliveries.'),
    work_set_aside: permanent('Parked work that failed by itself, until a retry succeeds. Deleted with the profile.'),
    work_turns: queue('The fair order of profiles in each queue.'),
    workspaces: bounded('Created by hand.'),
  },
  clickhouse: {
    ad_delivery_daily: permanent('The copy of `ad_delivery` that reports read.'),
    ad_delivery_history: byTheEngine(historyDays, 'The copy of restated days.'),
    ad_entities: permanent('The copy of `ad_entities` that reports read.'),
    ad_entities_history: byTheEngine(historyDays, 'Earlier versions of ads that reports showed.'),
    ad_scores: byTheEngine(60, 'Scores of ads, recomputed every night.'),
    attributed_conversions: permanent('The credits of each conversion: one row per conversion.'),
    attribution_conversions: byTheEngine(1, 'Staging data of an attribution batch; deleted with the batch.'),
    attribution_history: byTheEngine(historyDays, 'Earlier results of conversions that were attributed again.'),
    attribution_links: byTheEngine(1, 'Staging data of an attribution batch; deleted with the batch.'),
    attribution_results: bounded('Results of a running replay; deleted when it ends.'),
    attribution_touches: byTheEngine(1, 'Staging data of an attribution batch; deleted with the batch.'),
    clicked_entities: bounded('One per campaign, ad set and ad named in clicks.'),
    model_credits: byTheEngine(35, 'Credits of fitted models; every fit writes its own.'),
    schema_migrations: bounded('One per migration.'),
    touch_sources: bounded('One per source of touches.'),
    touches: permanent(
      'The input of all credits, needed for late payments, merges and replays. They contain ids, channel and ad, but no page and no IP address. Deleted with the profile.',
    ),
    visits: {
      ends: 'by the quarter',
      days: 'VISITS_RETENTION_DAYS',
      words:
        'Every page view. Without the setting they are deleted with the profile. With it, quarters that are entirely older are dropped; touches and credits stay.',
    },
  },
  streams: {
    visits: byTheEngine(
      7,
      'Visits between collector and worker. Above half of its size, processed visits are deleted earlier.',
    ),
    'dead-letters': byTheEngine('DEAD_LETTER_DAYS', 'Messages that could not be processed.'),
  },
  pgboss: {
    bam: bounded("pg-boss's own migrations of its indexes."),
    job: byTheEngine(14, 'Jobs: ended ones for seven days, unrun ones for fourteen.'),
    job_dependency: bounded('Not in use.'),
    queue: bounded('One per kind of job.'),
    queue_stats: bounded('Not in use.'),
    schedule: bounded('One per recurring job.'),
    subscription: bounded('Not in use.'),
    version: bounded('One row.'),
    warning: bounded('Not in use.'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, RetentionPolicy>>>>;
