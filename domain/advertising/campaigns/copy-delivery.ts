import type { ClickHouse } from '@tributary/clickhouse';
import { isBeingDeleted } from '@tributary/domain/tenancy/tenants';
import type { Postgres } from '@tributary/postgres';
import { nilUuid } from '@tributary/vocabulary';
import type { Item, LoadedItems } from '@tributary/work';
import { sql } from 'kysely';

export interface Engines {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
}

interface CopiedRevisions {
  readonly entities: readonly {
    readonly entity_id: string;
    readonly revision: string;
    readonly version?: string;
    readonly told_at?: string;
  }[];
  readonly days: readonly { readonly entity_id: string; readonly day: string; readonly revision: string }[];
}

/** An entity, or one day of an entity, that must be copied to ClickHouse. */
export interface DirtyItem extends Item {
  readonly entityId: string;
  readonly day: string | undefined;
  readonly revision: string;
}

/** Reads up to `size` entities and `size` days of a profile from the queue. */
export function claimDirty(app: Postgres, profileId: string, size: number): Promise<LoadedItems<DirtyItem>> {
  return app.forProfile(profileId).transaction(async (tx) => {
    const entities = await sql<DirtyItem>`
      SELECT entity_id::text AS id, entity_id AS "entityId", revision FROM dirty_entities WHERE profile_id = ${profileId}
      ORDER BY entity_id LIMIT ${size}`.execute(tx);
    const days = await sql<DirtyItem>`
      SELECT entity_id || ' ' || day AS id, entity_id AS "entityId", day::text AS day, revision FROM dirty_delivery
      WHERE profile_id = ${profileId} ORDER BY entity_id, day LIMIT ${size}`.execute(tx);
    const isMore = entities.rows.length === size || days.rows.length === size;
    return { items: [...entities.rows, ...days.rows], isMore };
  });
}

/**
 * Copies up to `size` entities and `size` days of a profile to ClickHouse, and resolves to whether there may be more.
 */
export async function copyDelivery(engines: Engines, profileId: string, size: number): Promise<boolean> {
  const { items, isMore } = await claimDirty(engines.app, profileId, size);
  await copyItems(engines, profileId, items);
  return isMore;
}

/**
 * Safe to interrupt, repeat and run concurrently: a revision always denotes the same row, and the highest one wins.
 * Entries leave the queue only after ClickHouse has stored them.
 */
export async function copyItems(engines: Engines, profileId: string, items: readonly DirtyItem[]): Promise<void> {
  const isDeleted = await engines.app.forProfile(profileId).transaction((tx) => isBeingDeleted(tx, profileId));
  await removeCopied(
    engines.app,
    profileId,
    isDeleted ? withoutCopy(items) : await copyDirty(engines, profileId, items),
  );
}

/** For a profile that is being deleted, entries leave the queue without being copied. */
const withoutCopy = (items: readonly DirtyItem[]): CopiedRevisions => ({
  entities: items.flatMap(({ entityId, day, revision }) =>
    day === undefined ? [{ entity_id: entityId, revision }] : [],
  ),
  days: items.flatMap(({ entityId, day, revision }) =>
    day === undefined ? [] : [{ entity_id: entityId, day, revision }],
  ),
});

/** Copies the queued rows from one PostgreSQL snapshot to ClickHouse, streamed as text without parsing. */
export function copyDirty(
  { app, clickhouse }: Engines,
  profileId: string,
  items: readonly DirtyItem[],
): Promise<CopiedRevisions> {
  const entityIds = items.filter(({ day }) => day === undefined).map(({ entityId }) => entityId);
  const dayIds = items.filter(({ day }) => day !== undefined);
  return app.snapshot(profileId, async ({ query, copy }) => {
    const entities = await query<Required<CopiedRevisions['entities'][number]>>(
      `SELECT q.entity_id, q.revision, coalesce(e.revision, 0) AS version, ${time('q.marked_at')} AS told_at FROM dirty_entities q
       LEFT JOIN ad_entities e ON e.profile_id = q.profile_id AND e.id = q.entity_id WHERE q.profile_id = $1 AND q.entity_id = ANY ($2::uuid[])`,
      [profileId, entityIds],
    );
    const days = await query<CopiedRevisions['days'][number]>(
      `SELECT q.entity_id, q.day::text AS day, q.revision FROM unnest($2::uuid[], $3::date[]) AS i (entity_id, day)
       JOIN dirty_delivery q ON q.profile_id = $1 AND q.entity_id = i.entity_id AND q.day = i.day`,
      [profileId, dayIds.map(({ entityId }) => entityId), dayIds.map(({ day }) => day)],
    );
    const select = selects(profileId, entities, days);
    // Stores earlier versions in the history before they are replaced.
    if (entities.length > 0) {
      await clickhouse.command('entity_keep_history', {
        profile_id: profileId,
        entity_ids: entities.map(({ entity_id }) => entity_id),
        versions: entities.map(({ version }) => version),
        replaced_at: entities.map(({ told_at }) => told_at),
      });
      await clickhouse.insertText('ad_entities', entityColumns, copy(select.entities));
    }
    if (days.length > 0) {
      await clickhouse.insertText('ad_delivery_history', [...dayColumns, 'replaced_at'], copy(select.history));
      await clickhouse.insertText('ad_delivery_daily', dayColumns, copy(select.days));
    }
    return { entities, days };
  });
}

/** Removes entries from the queue, except those changed again meanwhile. */
async function removeCopied(app: Postgres, profileId: string, { entities, days }: CopiedRevisions): Promise<void> {
  if (entities.length + days.length === 0) return;
  await app.forProfile(profileId).transaction(async (tx) => {
    await sql`
      DELETE FROM dirty_entities d
      USING unnest(${entities.map((one) => one.entity_id)}::uuid[], ${entities.map((one) => one.revision)}::bigint[]) AS done (entity_id, revision)
      WHERE d.profile_id = ${profileId} AND d.entity_id = done.entity_id AND d.revision = done.revision`.execute(tx);
    await sql`
      DELETE FROM dirty_delivery d
      USING unnest(${days.map((one) => one.entity_id)}::uuid[], ${days.map((one) => one.day)}::date[], ${days.map((one) => one.revision)}::bigint[])
        AS done (entity_id, day, revision)
      WHERE d.profile_id = ${profileId} AND d.entity_id = done.entity_id AND d.day = done.day AND d.revision = done.revision`.execute(
      tx,
    );
  });
}

const entityColumns =
  'profile_id, entity_id, version, platform, level, external_id, name, status, objective, format, currency, daily_budget, learning_stage_status, campaign_id, ad_set_id, applied_at, connection_id'.split(
    ', ',
  );
const dayColumns =
  'profile_id, level, day, entity_id, version, recorded_at, platform, currency, spend, impressions, clicks, reach, platform_conversions, platform_value, video_views_3s, video_completions, messaging_conversations_started, messaging_first_replies'.split(
    ', ',
  );

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')`;

/** COPY takes no parameters; only internal ids and numbers are interpolated. */
function selects(profileId: string, entities: CopiedRevisions['entities'], days: CopiedRevisions['days']) {
  const day = `
    d.profile_id, e.level, d.day, d.entity_id, d.revision, ${time('d.recorded_at')}, e.platform, d.currency, d.spend, d.impressions,
    d.clicks, d.reach, d.conversions, d.conversion_value, d.video_views_3s, d.video_completions, d.messaging_conversations_started,
    d.messaging_first_replies`;
  const dirty = `
    unnest('{${days.map((one) => one.entity_id)}}'::uuid[], '{${days.map((one) => one.day)}}'::date[]) AS i (entity_id, day)
    JOIN dirty_delivery q ON q.profile_id = '${profileId}' AND q.entity_id = i.entity_id AND q.day = i.day
    JOIN ad_entities e ON e.profile_id = q.profile_id AND e.id = q.entity_id`;
  const same = 'd.profile_id = q.profile_id AND d.entity_id = q.entity_id AND d.day = q.day';
  return {
    entities: `
      SELECT e.profile_id, e.id, e.revision, e.platform, e.level, e.external_id, e.name, e.status, e.objective, e.format, e.currency,
        e.daily_budget, e.learning_stage_status,
        coalesce(CASE WHEN e.level = 'campaign' THEN e.id WHEN p.level = 'campaign' THEN p.id ELSE p.parent_id END, '${nilUuid}'),
        coalesce(CASE WHEN e.level = 'ad_set' THEN e.id WHEN p.level = 'ad_set' THEN p.id END, '${nilUuid}'), q.told_at,
        coalesce(e.connection_id, '${nilUuid}')
      FROM unnest('{${entities.map((one) => one.entity_id)}}'::uuid[], '{${entities.map((one) => `"${one.told_at}"`)}}'::text[]) AS q (entity_id, told_at)
      JOIN ad_entities e ON e.profile_id = '${profileId}' AND e.id = q.entity_id
      LEFT JOIN ad_entities p ON p.profile_id = e.profile_id AND p.id = e.parent_id`,
    days: `SELECT ${day} FROM ${dirty} JOIN ad_delivery d ON ${same}`,
    history: `SELECT ${day}, ${time('d.replaced_at')} FROM ${dirty} JOIN ad_delivery_history d ON ${same} AND d.revision >= q.shown_revision`,
  };
}
