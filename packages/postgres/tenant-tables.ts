import { sql } from 'kysely';
import type { Ledger, Postgres } from './ledger.ts';
import type { tableOwners } from './tables.ts';

/** A table of which a tenant has rows, and how they are found and taken away. */
export interface TenantTable {
  readonly table: keyof typeof tableOwners;
  /** The column that says whose a row is. */
  readonly owner: 'profile_id' | 'owner_id' | 'workspace_id';
  /** What names a row beside its owner, in the order of an index that begins with the owner. */
  readonly key: readonly string[];
  /** Who may take rows away; the walls hold for the app's role. */
  readonly as: 'app' | 'system';
  /** What somebody would work on: gone first of all. */
  readonly isQueue?: true;
  /** Columns that refer to rows of the same table, and let go first. */
  readonly letsGoOf?: string;
}

const of = (table: TenantTable['table'], key: string, more: Partial<TenantTable> = {}): TenantTable => ({
  table,
  owner: 'profile_id',
  key: key === '' ? [] : key.split(' '),
  as: 'app',
  ...more,
});

/**
 * Every table with rows of a profile, in the order in which they go: what waits to be worked on first, so that nobody begins anew; then what
 * is counted before what it is counted from, so that nothing is counted for nothing; what refers before what it refers to. The profile's own
 * row is the last, and not among them. A test holds the list against the schema.
 */
export const profileTables: readonly TenantTable[] = [
  of('dirty_conversions', 'outcome_id', { isQueue: true }),
  of('dirty_customers', 'customer_id', { isQueue: true }),
  of('dirty_sales', 'outcome_id', { isQueue: true }),
  of('sale_rescans', 'source', { isQueue: true }),
  of('dirty_delivery', 'entity_id day', { isQueue: true }),
  of('dirty_entities', 'entity_id', { isQueue: true }),
  of('erasure_work', 'erasure_id', { isQueue: true }),
  of('score_rebuilds', '', { isQueue: true }),
  of('webhook_work', 'subscription_id', { isQueue: true }),
  of('syncs', 'connection_id', { isQueue: true }),
  of('report_mail_deliveries', 'mail_id sent_for user_id', { isQueue: true }),
  of('report_mails', 'id', { isQueue: true }),
  of('alert_mails', 'alert_id moment user_id', { isQueue: true }),
  of('alerts', 'id'),
  of('alert_wishes', 'user_id'),
  of('last_visits', ''),
  of('attribution_replays', 'id'),
  of('attribution_freshness', ''),
  of('moved_conversions', 'outcome_id left_time'),
  of('pending_selections', 'id'),
  of('handoffs', 'id'),
  of('webhook_deliveries', 'id'),
  of('webhook_subscriptions', 'id'),
  of('outbox', 'id', { as: 'system' }),
  of('event_log', 'sequence', { as: 'system' }),
  of('idempotent_answer_people', 'customer_id key_hash', { owner: 'owner_id' }),
  of('idempotent_answers', 'key_hash', { owner: 'owner_id' }),
  of('journey_summaries', 'person_id'),
  of('bad_visits', 'id'),
  of('bad_visit_days', 'day'),
  of('refused_visits', 'day reason teller'),
  of('payment_entries', 'id', { as: 'system' }),
  of('payment_refunds', 'id', { as: 'system' }),
  of('sale_batches', 'id'),
  of('sale_decisions', 'first_id second_id'),
  of('sale_matches', 'id'),
  of('sale_overlaps', 'first_source second_source'),
  of('sale_records', 'outcome_id'),
  of('sale_references', 'value outcome_id'),
  of('sale_settings', ''),
  of('sale_sources', 'source'),
  of('outcome_totals', 'customer_id event_key event_type_key currency'),
  of('outcomes_without_rate', 'outcome_id'),
  of('export_events', 'target_id outcome_id'),
  of('export_runs', 'id'),
  of('export_targets', 'id'),
  of('closings', 'month'),
  of('saved_views', 'id'),
  of('reconciliation_differences', 'reconciliation_id number'),
  of('reconciliations', 'id'),
  of('partner_touches', 'id'),
  of('outcomes', 'id'),
  of('visitor_links', 'visitor_id'),
  of('search_terms', 'term customer_id'),
  of('identity_conflicts', 'kind value customer_id'),
  of('kept_apart', 'one other'),
  of('said_together', 'one other'),
  of('merge_proposals', 'id'),
  of('merges', 'loser_id merged_at'),
  of('identifiers', 'kind value'),
  of('customers', 'id', { letsGoOf: 'merged_into' }),
  of('tombstones', 'hash erasure_id', { as: 'system' }),
  of('erasures', 'id', { as: 'system' }),
  of('ad_delivery', 'entity_id day'),
  of('ad_delivery_history', 'entity_id day revision'),
  of('ad_action_entries', 'id', { as: 'system' }),
  of('ad_actions', 'id', { as: 'system' }),
  of('creative_analyses', 'ad_id'),
  of('creative_pictures', 'ad_id'),
  of('model_fits', 'id'),
  of('campaign_tactics', 'entity_id'),
  of('experiments', 'id'),
  of('ad_entities', 'id'),
  of('ad_entities_history', 'id revision'),
  of('profiles_with_ads', ''),
  of('profile_settings_history', 'replaced_at'),
  of('definition_events', 'event_key'),
  of('definitions', 'id'),
  of('tracking_verifications', 'id'),
  of('tracking_domains', 'id'),
  of('tracking_keys', 'id'),
  of('tracking_settings', ''),
  of('site_searches', 'day connection_id hash'),
  of('connections', 'id'),
  of('app_tokens', 'hash', { as: 'system' }),
  of('api_keys', 'id'),
  of('shared_views', 'id'),
  of('grants', 'app_id'),
  of('pii_access_log', 'at id', { as: 'system' }),
];

/** The same of a workspace, after its profiles. */
export const workspaceTables: readonly TenantTable[] = [
  of('idempotent_answers', 'key_hash', { owner: 'owner_id' }),
  of('model_allowances', 'day', { owner: 'workspace_id' }),
  of('invitations', 'id', { owner: 'workspace_id', as: 'system' }),
  of('pii_access_log', 'at id', { owner: 'workspace_id', as: 'system' }),
  of('members', 'user_id', { owner: 'workspace_id', as: 'system' }),
  of('audit_log', 'sequence', { owner: 'workspace_id', as: 'system' }),
];

/** Goes with the last row of a workspace. */
export const goWithTheTenant: readonly (keyof typeof tableOwners)[] = ['audit_heads'];

export interface TenantStores {
  readonly app: Postgres;
  readonly system: Postgres;
}

/** A key as PostgreSQL writes it: a time, say, to the microsecond. */
type Key = readonly string[];

/**
 * Takes a tenant's rows out of a table, a batch after the other in the order of their keys: none is looked at twice, and no transaction
 * grows with the table. `paced` is asked after each batch, with how many rows it had.
 */
export async function emptyTable(
  { app, system }: TenantStores,
  at: TenantTable,
  tenantId: string,
  batchSize: number,
  paced: (rows: number) => Promise<void>,
): Promise<void> {
  const ledger =
    at.as === 'system'
      ? system.unbound
      : app.behind(at.owner === 'workspace_id' ? { workspaceId: tenantId } : { profileId: tenantId });
  if (at.letsGoOf) await letGo(ledger, at.table, at.letsGoOf, tenantId, batchSize, paced);
  for (let after: Key | undefined; ; ) {
    const keys: Key[] = await deleteBatch(ledger, at, tenantId, batchSize, after);
    if (keys.length > 0) await paced(keys.length);
    if (keys.length < batchSize || at.key.length === 0) return;
    after = keys.at(-1);
  }
}

async function deleteBatch(
  ledger: Ledger,
  { table, owner, key }: TenantTable,
  tenantId: string,
  batchSize: number,
  after?: Key,
): Promise<Key[]> {
  const [name, own] = [sql.table(table), sql.ref(owner)];
  const isTheirs = sql`${own} = ${tenantId}`;
  return ledger.transaction(async (tx) => {
    if (key.length === 0) {
      const { rows } = await sql`DELETE FROM ${name} WHERE ${isTheirs} RETURNING 1`.execute(tx);
      return rows.map(() => []);
    }
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const isFurther = after ? sql`AND (${columns}) > (${sql.join([...after])})` : sql``;
    const { rows } = await sql<{ key: string[] }>`
      WITH batch AS MATERIALIZED (
        SELECT ${columns} FROM ${name} WHERE ${isTheirs} ${isFurther} ORDER BY ${columns} LIMIT ${batchSize}
      ), gone AS (
        DELETE FROM ${name} t USING batch b
        WHERE t.${own} = ${tenantId} AND ${sql.join(
          key.map((column) => sql`t.${sql.ref(column)} = b.${sql.ref(column)}`),
          sql` AND `,
        )}
      )
      SELECT ARRAY[${sql.join(key.map((column) => sql`${sql.ref(column)}::text`))}] AS key FROM batch ORDER BY ${columns}`.execute(
      tx,
    );
    return rows.map((row) => row.key);
  });
}

/** A row that others of the same table refer to cannot go before them. */
async function letGo(
  ledger: Ledger,
  table: string,
  column: string,
  tenantId: string,
  batchSize: number,
  paced: (rows: number) => Promise<void>,
): Promise<void> {
  const [name, reference] = [sql.table(table), sql.ref(column)];
  for (;;) {
    const { rows } = await ledger.transaction((tx) =>
      sql`
        UPDATE ${name} SET ${reference} = NULL WHERE profile_id = ${tenantId} AND id IN (
          SELECT id FROM ${name} WHERE profile_id = ${tenantId} AND ${reference} IS NOT NULL LIMIT ${batchSize})
        RETURNING 1`.execute(tx),
    );
    if (rows.length === 0) return;
    await paced(0);
  }
}
