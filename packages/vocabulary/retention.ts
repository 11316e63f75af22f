import { limits } from './limits.ts';
import { saleLives } from './sales.ts';

/** Lives that the operator sets, by the name of the setting. */
export type LifeSetting = 'BAD_VISIT_DAYS' | 'VISITS_RETENTION_DAYS' | 'DEAD_LETTER_DAYS';

/** How a store is kept from growing for ever, or why it may grow. `words` are for the operator's page. */
export type Life =
  /** A nightly job deletes rows so many days after a time in `age`, by their `key`. */
  | Swept
  /** `expires_at` says when a row is over; an hourly job deletes it. */
  | { readonly ends: 'expired'; readonly key: readonly string[]; readonly words: string }
  /** The engine itself deletes after so many days. */
  | { readonly ends: 'by the engine'; readonly days: number | LifeSetting; readonly words: string }
  /** A nightly job drops whole quarters that are older. */
  | { readonly ends: 'by the quarter'; readonly days: LifeSetting; readonly words: string }
  /** A queue: rows go when they were worked off. */
  | { readonly ends: 'worked off'; readonly words: string }
  /** It does not grow with time: one row for each of something else, or a number that is bounded. */
  | { readonly ends: 'bounded'; readonly words: string }
  /** It grows and is kept while what it belongs to is there. The words are the reason. */
  | { readonly ends: 'kept'; readonly words: string };

export interface Swept {
  readonly ends: 'swept';
  readonly days: number | Extract<LifeSetting, 'BAD_VISIT_DAYS'>;
  readonly age: readonly string[];
  readonly key: readonly string[];
  readonly words: string;
}

const bounded = (words: string): Life => ({ ends: 'bounded', words });
const kept = (words: string): Life => ({ ends: 'kept', words });
const queue = (words: string): Life => ({ ends: 'worked off', words });
const expired = (key: readonly string[], words: string): Life => ({ ends: 'expired', key, words });
const swept = (days: Swept['days'], age: readonly string[], key: readonly string[], words: string): Life => ({
  ends: 'swept',
  days,
  age,
  key,
  words,
});
const byTheEngine = (days: number | LifeSetting, words: string) => ({ ends: 'by the engine', days, words }) as const;

/** A credential that is over is still shown and looked up in the audit log for a year. */
const yearDays = 365;
/** What figures said before they were restated. */
const historyDays = limits.asOf.keptDays;

/**
 * Every store there is, by engine, with its life or the reason why it has none. The sweeps read it, docs/operations/retention.md is made of it, and a
 * test holds it against the engines: a table that is not in it fails.
 */
export const lives = {
  postgres: {
    accounts: bounded('One for each way of a person to sign in.'),
    ad_action_entries: kept('What was asked of ad platforms, tried, refused and done. It goes with its profile.'),
    ad_actions: kept('What was changed at ad platforms, by whom, and how it is taken back. It goes with its profile.'),
    ad_delivery: kept('What each ad cost and did by day, on which every report stands. It goes with its profile.'),
    ad_delivery_history: swept(
      historyDays,
      ['replaced_at'],
      ['profile_id', 'entity_id', 'day', 'revision'],
      'What a platform said of a day before it restated it.',
    ),
    ad_entities: kept(
      'Campaigns, ad sets and ads, which reports name however old they are. They go with their profile.',
    ),
    ad_entities_history: swept(
      historyDays,
      ['replaced_at'],
      ['profile_id', 'id', 'revision'],
      'What campaigns, ad sets and ads were before a platform told something else of them.',
    ),
    shared_views: swept(
      yearDays,
      ['revoked_at', 'expires_at'],
      ['profile_id', 'id'],
      'Links to reports that were revoked or ran out; who made them stays in the audit log.',
    ),
    saved_views: bounded('A few for each profile, until somebody removes them.'),
    report_mails: bounded('A few for each profile, until they are stopped.'),
    report_mail_deliveries: swept(
      90,
      ['sent_for'],
      ['profile_id', 'mail_id', 'sent_for', 'user_id'],
      'Which member a mail with a report was sent to, and what became of it.',
    ),
    alerts: swept(limits.alerts.keptDays, ['ended_at'], ['profile_id', 'id'], 'Alerts whose cause is over.'),
    alert_mails: swept(
      limits.alerts.keptDays,
      ['made_at'],
      ['profile_id', 'alert_id', 'moment', 'user_id'],
      'Which member was told of an alert by e-mail, and what became of the mail.',
    ),
    alert_wishes: bounded('At most one for each member and profile: whether they want alerts by e-mail.'),
    last_visits: bounded('One for each profile: when its last visit came, and its longest pause.'),
    api_keys: swept(
      yearDays,
      ['revoked_at', 'expires_at'],
      ['profile_id', 'id'],
      'Keys that were revoked or ran out; who did what with them stays in the audit log.',
    ),
    app_tokens: expired(['hash'], 'Tokens of apps.'),
    apps: bounded('Registered by the operator.'),
    attribution_freshness: bounded('One for each profile.'),
    attribution_replays: swept(yearDays, ['finished_at'], ['profile_id', 'id'], 'Replays that ended.'),
    audit_heads: bounded('One for each workspace.'),
    audit_log: kept('A chain of hashes: whoever takes a link out breaks it. It goes with its workspace.'),
    bad_visit_days: swept(
      'BAD_VISIT_DAYS',
      ['day'],
      ['profile_id', 'day'],
      'How much of bad visits was kept of a day.',
    ),
    bad_visits: swept(
      'BAD_VISIT_DAYS',
      ['received_at'],
      ['profile_id', 'id'],
      'Visits that could not be understood, until somebody replays them.',
    ),
    connections: bounded('One for each account that a profile connected; a disconnected one has lost its credentials.'),
    creative_analyses: bounded('The latest one of each ad.'),
    creative_pictures: swept(
      limits.creativePictures.keptDays,
      ['tried_at'],
      ['profile_id', 'ad_id'],
      'Small pictures of ads that nobody looked at since.',
    ),
    customers: kept('The people of a profile, until one is erased or the profile is deleted.'),
    definition_events: bounded('One for each event that a definition names.'),
    definitions: bounded('Made by hand.'),
    dirty_conversions: queue('Conversions to be attributed again.'),
    dirty_customers: queue('Customers whose first payments are derived again.'),
    dirty_delivery: queue('Days of ads to be copied to ClickHouse.'),
    dirty_entities: queue('Ads to be copied to ClickHouse.'),
    erasure_work: queue('Erasures under way.'),
    erasures: kept(
      'The receipts: proof that somebody was erased, which is asked for years later. They name nobody in clear.',
    ),
    event_counter: bounded('One row.'),
    event_log: swept(
      limits.outcomeReplay.keptDays,
      ['kept_from'],
      ['profile_id', 'sequence'],
      'Announced events, as long as they can be replayed: counted from an hour after they were numbered, or from a delivery that was later.',
    ),
    exchange_rates: kept('One for each currency and day; money of any day is converted at the rate of its day.'),
    exchange_rates_history: swept(
      historyDays,
      ['replaced_at'],
      ['currency', 'day', 'replaced_at'],
      'What a rate was taken for before another was said.',
    ),
    grants: bounded('One for each profile and app.'),
    handoffs: swept(
      limits.handoff.keptDays,
      ['completed_at'],
      ['profile_id', 'id'],
      'Hand-offs that ended; what they connected stays.',
    ),
    idempotent_answer_people: bounded('Whom a stored answer names; it goes with the answer.'),
    idempotent_answers: expired(['owner_id', 'key_hash'], 'Answers that a repeated request gets.'),
    identifiers: kept('What customers are known by. They go with their customer.'),
    identity_conflicts: kept(
      'Identifiers that two customers claim, one row for each pair; they are the reason why two people were not merged, and go with the customer.',
    ),
    installation_audit_log: kept('A chain of hashes, like the audit log of a workspace.'),
    first_account: bounded('At most one row, which is gone when the first account is made.'),
    invitations: swept(
      90,
      ['expires_at'],
      ['workspace_id', 'id'],
      'Invitations that ran out, whether or not they were accepted.',
    ),
    journey_summaries: bounded('The latest of each person.'),
    closings: bounded('One for each month that somebody closed.'),
    reconciliation_differences: bounded('What differed; it goes with its reconciliation.'),
    reconciliations: swept(
      limits.reconciliation.keptDays,
      ['requested_at'],
      ['profile_id', 'id'],
      'Comparisons of days.',
    ),
    kept_apart: kept('Of which two customers somebody said that they are two people. It goes with either of them.'),
    merge_proposals: kept('Which two keyed customers carry one identifier. It goes with either of them.'),
    said_together: kept('Which two customers a message named: a row for each such pair. It goes with either of them.'),
    key_ring: bounded('Made when an operator rotates; an old key opens what it sealed.'),
    members: bounded('One for each person and workspace.'),
    campaign_tactics: bounded('One for each campaign of which somebody said what it does.'),
    model_fits: swept(yearDays, ['finished_at'], ['profile_id', 'id'], 'Fits of models that ended.'),
    merges: kept(
      'Which customer a merged one became: an id that was handed out once is found for good. They go with the customer.',
    ),
    model_allowances: swept(31, ['day'], ['workspace_id', 'day'], 'How many summaries a workspace had on a day.'),
    moved_conversions: queue('Conversions whose time changed, until the row under the earlier time is gone.'),
    moved_tenants: bounded('Where workspaces went that were on this server, and their profiles: ids only.'),
    oauth_access_tokens: bounded("Assistants' tokens; each goes with the session that allowed it."),
    oauth_client_assertions: expired(['id'], 'Proofs that an OAuth client showed once, so that none is shown twice.'),
    oauth_client_resources: bounded('What a client may ask for; it goes with the client.'),
    oauth_clients: kept(
      'Assistants that registered themselves and were allowed something. One that was not is forgotten after a day, by an hourly job.',
    ),
    oauth_consents: bounded('One for each person, assistant and profile.'),
    oauth_refresh_tokens: bounded('None is issued.'),
    oauth_resources: bounded('One row.'),
    outbox: queue('Events that have no number yet.'),
    ...saleLives,
    outcome_totals: bounded('One for each customer, event and currency.'),
    outcomes: kept('What was sold and paid: the ledger itself. They go with their profile.'),
    outcomes_without_rate: bounded(
      'Outcomes whose currency has no rate yet, at most one for each outcome; they are converted when the rate comes.',
    ),
    export_targets: bounded('One for each ad account that is told of outcomes.'),
    experiments: bounded('At most 200 of a profile; what a test found stays known.'),
    export_events: swept(
      limits.exports.keptDays,
      ['scheduled_at'],
      ['profile_id', 'target_id', 'outcome_id'],
      'What became of telling a platform of an outcome.',
    ),
    export_runs: swept(yearDays, ['scheduled_at'], ['profile_id', 'id'], 'How runs of exports ended.'),
    partner_touches: kept(
      'Which ads conversations came from, and what customers answered: part of the ledger. They go with their profile.',
    ),
    passkeys: bounded('A person has no more than a few.'),
    payment_entries: kept(
      'What merchants said of payments, a row for each time: the proof behind a figure. It goes with its profile.',
    ),
    pending_selections: bounded('The newest of each profile and provider; its token goes after an hour.'),
    pii_access_log: swept(
      limits.piiAccessLog.keptDays,
      ['at'],
      ['workspace_id', 'at', 'id'],
      'Who read personal data.',
    ),
    profile_settings_history: bounded('In which zone and currency a profile was before; changed by hand.'),
    profiles: bounded('Made by hand.'),
    profiles_with_ads: bounded('One for each profile.'),
    provider_pauses: bounded('One for each provider.'),
    refused_visits: swept(
      'BAD_VISIT_DAYS',
      ['day'],
      ['profile_id', 'day', 'reason', 'teller'],
      'How many visits were sent away on a day.',
    ),
    score_rebuilds: bounded('One for each profile.'),
    search_terms: bounded('Words by which a customer is found; they go with the customer.'),
    password_resets: expired(['user_id'], 'Links that set a new password.'),
    sessions: expired(['id'], "Who is signed in. With a session go the assistants' tokens that it allowed."),
    site_searches: swept(
      limits.searchTerms.keptDays,
      ['day'],
      ['profile_id', 'day', 'connection_id', 'hash'],
      'What people searched for when they were shown the site, as long as search engines tell it.',
    ),
    syncs: bounded('One for each connection: where it is read on.'),
    tenant_deletions: queue('Tenants that are being deleted, until a day after.'),
    tombstones: kept('Hashes of erased names: without them an import would bring the person back.'),
    tracking_domains: bounded('A profile has no more than a few.'),
    tracking_keys: swept(yearDays, ['revoked_at'], ['profile_id', 'id'], 'Tracking keys that were replaced.'),
    tracking_settings: bounded('One for each profile.'),
    tracking_verifications: bounded('The latest of each profile, and its latest proof.'),
    two_factors: bounded('At most one for each person.'),
    users: bounded('One for each person who signs in.'),
    verifications: expired(['id'], 'Codes that were never redeemed.'),
    visitor_links: kept('Which customer a browser belongs to. They go with the customer.'),
    webhook_deliveries: swept(
      limits.webhookDeliveries.keptDays,
      ['touched_at'],
      ['profile_id', 'id'],
      'What was sent to subscriptions, counted from the last attempt. The events themselves are kept longer.',
    ),
    webhook_subscriptions: bounded('A profile has no more than a few.'),
    webhook_work: queue('Subscriptions for which something is to be sent.'),
    work_set_aside: kept('What failed by itself, until it is tried again with success. It goes with its profile.'),
    work_turns: queue('Whose turn it is in each queue.'),
    workspaces: bounded('Made by hand.'),
  },
  clickhouse: {
    ad_delivery_daily: kept('The copy of `ad_delivery` that reports read.'),
    ad_delivery_history: byTheEngine(historyDays, 'The copy of what was restated.'),
    ad_entities: kept('The copy of `ad_entities` that reports read.'),
    ad_entities_history: byTheEngine(historyDays, 'What reports showed of an ad before it was told anew.'),
    ad_scores: byTheEngine(60, 'Scores of ads, made anew every night.'),
    attributed_conversions: kept('What each conversion owes to whom: one row for each conversion.'),
    attribution_conversions: byTheEngine(1, 'What a batch of attribution works on; it goes with the batch.'),
    attribution_history: byTheEngine(historyDays, 'What was said of a conversion before it was attributed again.'),
    attribution_links: byTheEngine(1, 'What a batch of attribution works on; it goes with the batch.'),
    attribution_results: bounded('What a replay has worked out; it goes when the replay ends.'),
    attribution_touches: byTheEngine(1, 'What a batch of attribution works on; it goes with the batch.'),
    clicked_entities: bounded('One for each campaign, ad set and ad that only clicks named.'),
    model_credits: byTheEngine(35, 'What fitted models gave the touches of purchases; every fit writes its own.'),
    schema_migrations: bounded('One for each migration.'),
    touch_sources: bounded('One for each place that touches came from.'),
    touches: kept(
      'What every credit is worked out from, however late a payment or a merge comes: without them a replay would say something else. They hold ids, channel and ad, and neither page nor address. They go with their profile.',
    ),
    visits: {
      ends: 'by the quarter',
      days: 'VISITS_RETENTION_DAYS',
      words:
        'Every page that was seen. Without the setting they go with their profile; with it, quarters that are older as a whole are dropped, and touches and credits stay.',
    },
  },
  streams: {
    visits: byTheEngine(7, 'Visits between collector and worker. Past half of its room what was handled goes earlier.'),
    'dead-letters': byTheEngine('DEAD_LETTER_DAYS', 'Messages that could not be processed.'),
  },
  pgboss: {
    bam: bounded("pg-boss's own migrations of its indexes."),
    job: byTheEngine(14, 'Jobs: those that ended stay for seven days, those that nobody could run for fourteen.'),
    job_dependency: bounded('Nothing of ours waits for another job.'),
    queue: bounded('One for each kind of job.'),
    queue_stats: bounded('Not in use.'),
    schedule: bounded('One for each recurring job.'),
    subscription: bounded('Not in use.'),
    version: bounded('One row.'),
    warning: bounded('Not in use.'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Life>>>>;
