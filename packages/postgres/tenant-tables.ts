import { sql } from 'kysely';
import type { Ledger, Postgres } from './ledger.ts';
import type { tableOwners } from './tables.ts';

/** A table with rows of a tenant, and how to find and delete those rows. */
export interface TenantTable {
  readonly table: keyof typeof tableOwners;
  /** The column that holds the owner of a row. */
  readonly owner: 'profile_id' | 'owner_id' | 'workspace_id';
  /** Columns that identify a row within its owner, in the order of an index that begins with the owner. */
  readonly key: readonly string[];
  /** The role that may delete the rows. The app role deletes within the tenant's scope. */
  readonly as: 'app' | 'system';
  /** Queued work, which is deleted first. */
  readonly isQueue?: true;
  /** A column that refers to rows of the same table. It is set to NULL before the rows are deleted. */
  readonly selfReference?: string;
}

const tenantTable = (table: TenantTable['table'], key: string, more: Partial<TenantTable> = {}): TenantTable => ({
  table,
  owner: 'profile_id',
  key: key === '' ? [] : key.split(' '),
  as: 'app',
  ...more,
});

/**
 * Every table with rows of a profile, in deletion order. Queues come first, so that no worker starts new work. Derived counts precede the
 * rows they are computed from, so that they are not recomputed in vain. Referring rows precede the rows they refer to. The profile's own
 * row is deleted last and is not listed. A test compares the list with the schema.
 */
export const profileTables: readonly TenantTable[] = [
  tenantTable('dirty_conversions', 'outcome_id', { isQueue: true }),
  tenantTable('dirty_customers', 'customer_id', { isQueue: true }),
  tenantTable('dirty_sales', 'outcome_id', { isQueue: true }),
  tenantTable('sale_rescans', 'source', { isQueue: true }),
  tenantTable('dirty_delivery', 'entity_id day', { isQueue: true }),
  tenantTable('dirty_entities', 'entity_id', { isQueue: true }),
  tenantTable('erasure_work', 'erasure_id', { isQueue: true }),
  tenantTable('score_rebuilds', '', { isQueue: true }),
  tenantTable('webhook_work', 'subscription_id', { isQueue: true }),
  tenantTable('syncs', 'connection_id', { isQueue: true }),
  tenantTable('report_mail_deliveries', 'mail_id sent_for user_id', { isQueue: true }),
  tenantTable('report_mails', 'id', { isQueue: true }),
  tenantTable('alert_mails', 'alert_id moment user_id', { isQueue: true }),
  tenantTable('alerts', 'id'),
  tenantTable('alert_wishes', 'user_id'),
  tenantTable('last_visits', ''),
  tenantTable('attribution_replays', 'id'),
  tenantTable('attribution_freshness', ''),
  tenantTable('moved_conversions', 'outcome_id left_time'),
  tenantTable('pending_selections', 'id'),
  tenantTable('handoffs', 'id'),
  tenantTable('webhook_deliveries', 'id'),
  tenantTable('webhook_subscriptions', 'id'),
  tenantTable('outbox', 'id', { as: 'system' }),
  tenantTable('event_log', 'sequence', { as: 'system' }),
  tenantTable('idempotent_answer_people', 'customer_id key_hash', { owner: 'owner_id' }),
  tenantTable('idempotent_answers', 'key_hash', { owner: 'owner_id' }),
  tenantTable('journey_summaries', 'person_id'),
  tenantTable('bad_visits', 'id'),
  tenantTable('bad_visit_days', 'day'),
  tenantTable('refused_visits', 'day reason teller'),
  tenantTable('payment_entries', 'id', { as: 'system' }),
  tenantTable('payment_refunds', 'id', { as: 'system' }),
  tenantTable('sale_batches', 'id'),
  tenantTable('sale_decisions', 'first_id second_id'),
  tenantTable('sale_matches', 'id'),
  tenantTable('sale_overlaps', 'first_source second_source'),
  tenantTable('sale_records', 'outcome_id'),
  tenantTable('sale_references', 'value outcome_id'),
  tenantTable('sale_settings', ''),
  tenantTable('sale_sources', 'source'),
  tenantTable('outcome_totals', 'customer_id event_key event_type_key currency'),
  tenantTable('outcomes_without_rate', 'outcome_id'),
  tenantTable('export_events', 'target_id outcome_id'),
  tenantTable('export_runs', 'id'),
  tenantTable('export_targets', 'id'),
  tenantTable('closings', 'month'),
  tenantTable('saved_views', 'id'),
  tenantTable('reconciliation_differences', 'reconciliation_id number'),
  tenantTable('reconciliations', 'id'),
  tenantTable('partner_touches', 'id'),
  tenantTable('outcomes', 'id'),
  tenantTable('visitor_links', 'visitor_id'),
  tenantTable('search_terms', 'term customer_id'),
  tenantTable('identity_conflicts', 'kind value customer_id'),
  tenantTable('kept_apart', 'one other'),
  tenantTable('said_together', 'one other'),
  tenantTable('merge_proposals', 'id'),
  tenantTable('merges', 'loser_id merged_at'),
  tenantTable('identifiers', 'kind value'),
  tenantTable('customers', 'id', { selfReference: 'merged_into' }),
  tenantTable('tombstones', 'hash erasure_id', { as: 'system' }),
  tenantTable('erasures', 'id', { as: 'system' }),
  tenantTable('ad_delivery', 'entity_id day'),
  tenantTable('ad_delivery_history', 'entity_id day revision'),
  tenantTable('ad_action_entries', 'id', { as: 'system' }),
  tenantTable('ad_actions', 'id', { as: 'system' }),
  tenantTable('creative_analyses', 'ad_id'),
  tenantTable('creative_pictures', 'ad_id'),
  tenantTable('model_fits', 'id'),
  tenantTable('campaign_tactics', 'entity_id'),
  tenantTable('experiments', 'id'),
  tenantTable('ad_entities', 'id'),
  tenantTable('ad_entities_history', 'id revision'),
  tenantTable('profiles_with_ads', ''),
  tenantTable('profile_settings_history', 'replaced_at'),
  tenantTable('definition_events', 'event_key'),
  tenantTable('definitions', 'id'),
  tenantTable('tracking_verifications', 'id'),
  tenantTable('tracking_domains', 'id'),
  tenantTable('tracking_keys', 'id'),
  tenantTable('tracking_settings', ''),
  tenantTable('site_searches', 'day connection_id hash'),
  tenantTable('connections', 'id'),
  tenantTable('app_tokens', 'hash', { as: 'system' }),
  tenantTable('api_keys', 'id'),
  tenantTable('shared_views', 'id'),
  tenantTable('grants', 'app_id'),
  tenantTable('pii_access_log', 'at id', { as: 'system' }),
];

/** The same for a workspace, whose profiles are deleted before it. */
export const workspaceTables: readonly TenantTable[] = [
  tenantTable('idempotent_answers', 'key_hash', { owner: 'owner_id' }),
  tenantTable('model_allowances', 'day', { owner: 'workspace_id' }),
  tenantTable('invitations', 'id', { owner: 'workspace_id', as: 'system' }),
  tenantTable('pii_access_log', 'at id', { owner: 'workspace_id', as: 'system' }),
  tenantTable('members', 'user_id', { owner: 'workspace_id', as: 'system' }),
  tenantTable('audit_log', 'sequence', { owner: 'workspace_id', as: 'system' }),
];

/** Deleted together with the workspace's own row. */
export const deletedWithTenant: readonly (keyof typeof tableOwners)[] = ['audit_heads'];

export interface TenantStores {
  readonly app: Postgres;
  readonly system: Postgres;
}

/** A key in PostgreSQL's text format, which keeps times to the microsecond. */
type Key = readonly string[];

/**
 * Deletes a tenant's rows from a table in batches by key order. No row is visited twice, and no transaction grows with the table. `paced`
 * is called after each batch with its number of rows.
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
      : app.withScope(at.owner === 'workspace_id' ? { workspaceId: tenantId } : { profileId: tenantId });
  if (at.selfReference) await clearReferences(ledger, at.table, at.selfReference, tenantId, batchSize, paced);
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
    const isLater = after ? sql`AND (${columns}) > (${sql.join([...after])})` : sql``;
    const { rows } = await sql<{ key: string[] }>`
      WITH batch AS MATERIALIZED (
        SELECT ${columns} FROM ${name} WHERE ${isTheirs} ${isLater} ORDER BY ${columns} LIMIT ${batchSize}
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

/** A row cannot be deleted while other rows of the same table refer to it. */
async function clearReferences(
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
