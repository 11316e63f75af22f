import type { Tx, UnboundLedger } from '@tributary/postgres';
import { sql } from 'kysely';
import type { StoredEntity } from './entity.ts';
import type { Figures } from './read-spend.ts';

/**
 * Serialises writers of a profile, so that two of them cannot record the same day between a read and a write, and no deadlocks
 * occur.
 */
export async function lockDelivery(tx: Tx, profileId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9021))`.execute(tx);
}

export async function findEntities(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, StoredEntity>> {
  const { rows } = await sql<StoredEntity & { revision: string }>`
    SELECT id, platform, level, external_id AS "externalId", parent_id AS "parentId", name, status, objective, format, currency,
      coalesce(daily_budget::text, '') AS "dailyBudget", learning_stage_status AS "learningStage", connection_id AS "connectionId", first_seen::text AS "firstSeen", last_seen::text AS "lastSeen", revision
    FROM ad_entities WHERE profile_id = ${profileId} AND id = ANY (${[...new Set(ids)]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, { ...row, revision: Number(row.revision) }]));
}

export interface EntityChanges {
  readonly touched: readonly StoredEntity[];
  /** The touched entities that reports will show differently. */
  readonly revisedIds: readonly string[];
  /** Ad sets whose ads moved to another campaign with them. */
  readonly movedAdSets: readonly string[];
}

export async function saveEntities(tx: Tx, profileId: string, changes: EntityChanges): Promise<void> {
  if (changes.touched.length === 0) return;
  const rows = changes.touched.map(
    ({ externalId, parentId, dailyBudget, learningStage, connectionId, firstSeen, lastSeen, ...rest }) => ({
      ...rest,
      daily_budget: dailyBudget === '' ? null : dailyBudget,
      learning_stage_status: learningStage,
      connection_id: connectionId,
      external_id: externalId,
      parent_id: parentId,
      first_seen: firstSeen,
      last_seen: lastSeen,
    }),
  );
  // Uses JSON, so that the statement has one parameter and one text for any number of rows.
  await sql`
    INSERT INTO ad_entities (profile_id, id, platform, level, external_id, parent_id, name, status, objective, format, currency,
      daily_budget, learning_stage_status, connection_id, first_seen, last_seen, revision)
    SELECT ${profileId}, id, platform, level, external_id, parent_id, name, status, objective, format, currency, daily_budget,
      learning_stage_status, connection_id, first_seen, last_seen, revision
    FROM jsonb_populate_recordset(NULL::ad_entities, ${JSON.stringify(rows)}::jsonb)
    ON CONFLICT (profile_id, id) DO UPDATE SET parent_id = excluded.parent_id, name = excluded.name, status = excluded.status,
      objective = excluded.objective, format = excluded.format, currency = excluded.currency, daily_budget = excluded.daily_budget,
      learning_stage_status = excluded.learning_stage_status, connection_id = excluded.connection_id, first_seen = excluded.first_seen,
      last_seen = excluded.last_seen, revision = excluded.revision`.execute(tx);
  if (changes.movedAdSets.length > 0) {
    await sql`
      WITH moved AS (
        UPDATE ad_entities SET revision = revision + 1
        WHERE profile_id = ${profileId} AND parent_id = ANY (${changes.movedAdSets}::uuid[]) RETURNING id, revision
      )
      INSERT INTO dirty_entities (profile_id, entity_id, revision) SELECT ${profileId}, id, revision FROM moved
      ON CONFLICT (profile_id, entity_id) DO UPDATE SET revision = excluded.revision`.execute(tx);
  }
  await sql`
    INSERT INTO dirty_entities (profile_id, entity_id, revision)
    SELECT profile_id, id, revision FROM ad_entities WHERE profile_id = ${profileId} AND id = ANY (${changes.revisedIds}::uuid[])
    ON CONFLICT (profile_id, entity_id) DO UPDATE SET revision = excluded.revision`.execute(tx);
}

/** The current or a previous revision of a day's figures. */
export interface Delivery {
  readonly entityId: string;
  readonly day: string;
  readonly revision: number;
  readonly recordedAt: Date;
  readonly figures: Figures;
}

export const dayKey = (entityId: string, day: string): string => `${entityId} ${day}`;

const counts = [
  'impressions',
  'clicks',
  'reach',
  'video_views_3s',
  'video_completions',
  'messaging_conversations_started',
  'messaging_first_replies',
] as const;
const figureNames = [
  ...counts,
  'currency',
  'spend',
  'conversions',
  'conversion_value',
] as const satisfies (keyof Figures)[];
const columns = sql.raw(['profile_id', 'entity_id', 'day', 'revision', 'recorded_at', ...figureNames].join());

type StoredFigures = {
  readonly [Name in keyof Figures]: Figures[Name] extends number | null ? string | null : Figures[Name];
};

export async function findDelivery(
  tx: Tx,
  profileId: string,
  requested: readonly { readonly entity: { readonly id: string }; readonly day: string }[],
): Promise<Map<string, Delivery>> {
  const [ids, days] = [requested.map(({ entity }) => entity.id), requested.map(({ day }) => day)];
  const { rows } = await sql<StoredFigures & { entityId: string; day: string; revision: string; recordedAt: Date }>`
    SELECT entity_id AS "entityId", day::text, revision, recorded_at AS "recordedAt", ${sql.raw(figureNames.join())}
    FROM ad_delivery WHERE profile_id = ${profileId}
      AND (entity_id, day) IN (SELECT * FROM unnest(${ids}::uuid[], ${days}::date[]))`.execute(tx);
  return new Map(
    rows.map(({ entityId, day, revision, recordedAt, ...stored }) => {
      const numbers = counts.map((name) => [name, stored[name] === null ? null : Number(stored[name])] as const);
      const figures = { ...stored, ...(Object.fromEntries(numbers) as Pick<Figures, (typeof counts)[number]>) };
      return [dayKey(entityId, day), { entityId, day, revision: Number(revision), recordedAt, figures }];
    }),
  );
}

const toRow = (profileId: string, { entityId, day, revision, recordedAt, figures }: Delivery) => ({
  profile_id: profileId,
  entity_id: entityId,
  day,
  revision,
  recorded_at: recordedAt,
  ...figures,
});

/** Stores current and replaced figures, and queues them for ClickHouse, which has an earlier revision or none. */
export async function saveDelivery(
  tx: Tx,
  profileId: string,
  changed: readonly (Delivery & { readonly shownRevision: number })[],
  replaced: readonly Delivery[],
  now: Date,
): Promise<void> {
  if (changed.length === 0) return;
  if (replaced.length > 0) {
    const rows = JSON.stringify(replaced.map((one) => toRow(profileId, one)));
    await sql`
      INSERT INTO ad_delivery_history (${columns}, replaced_at)
      SELECT ${columns}, ${now}::timestamptz FROM jsonb_populate_recordset(NULL::ad_delivery, ${rows}::jsonb)`.execute(
      tx,
    );
  }
  const updates = ['revision', 'recorded_at', ...figureNames].map((name) => `${name} = excluded.${name}`);
  await sql`
    INSERT INTO ad_delivery (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::ad_delivery, ${JSON.stringify(changed.map((one) => toRow(profileId, one)))}::jsonb)
    ON CONFLICT (profile_id, entity_id, day) DO UPDATE SET ${sql.raw(updates.join())}`.execute(tx);
  await sql`
    INSERT INTO dirty_delivery (profile_id, entity_id, day, revision, shown_revision)
    SELECT ${profileId}, * FROM unnest(${changed.map((one) => one.entityId)}::uuid[], ${changed.map((one) => one.day)}::date[],
      ${changed.map((one) => one.revision)}::bigint[], ${changed.map((one) => one.shownRevision)}::bigint[])
    ON CONFLICT (profile_id, entity_id, day) DO UPDATE SET revision = excluded.revision`.execute(tx);
}

/** Registers the profile as an advertiser, so that its ads are scored. */
export async function registerAdvertiser(tx: Tx, profileId: string): Promise<void> {
  await sql`INSERT INTO profiles_with_ads (profile_id) VALUES (${profileId}) ON CONFLICT DO NOTHING`.execute(tx);
}

/** Limits the scan, so that a report does not read a whole backfill to find the oldest entry. */
const maxScanned = 1_000;

/** The time since which changes wait to be copied, from the next entries of the queue. */
export async function findDeliveryWait(tx: Tx, profileId: string): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    SELECT least(
      (SELECT min(marked_at) FROM (
        SELECT marked_at FROM dirty_entities WHERE profile_id = ${profileId} ORDER BY entity_id LIMIT ${maxScanned}) e),
      (SELECT min(marked_at) FROM (
        SELECT marked_at FROM dirty_delivery WHERE profile_id = ${profileId} ORDER BY entity_id, day LIMIT ${maxScanned}) d)
    ) AS since`.execute(tx);
  return rows[0]?.since ?? null;
}

/**
 * Lists profiles after an id whose changes have waited since before a time, up to a limit. Reads across profiles, so it
 * needs the system role.
 */
export async function listLateDelivery(
  ledger: UnboundLedger,
  { after, since, limit }: { readonly after: string; readonly since: Date; readonly limit: number },
): Promise<string[]> {
  const { rows } = await ledger.query(
    sql<{ id: string }>`SELECT list_waiting_delivery(${after}, ${since}, ${limit}, ${maxScanned}) AS id`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Stores creatives as their platform reports them. Reported fields replace previous ones; fields from other sources
 * stay.
 */
export async function saveCreatives(
  tx: Tx,
  profileId: string,
  creatives: readonly { readonly id: string; readonly creative: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  if (creatives.length === 0) return;
  await sql`
    UPDATE ad_entities e SET creative = e.creative || c.creative
    FROM jsonb_to_recordset(${JSON.stringify(creatives)}::jsonb) AS c (id uuid, creative jsonb)
    WHERE e.profile_id = ${profileId} AND e.id = c.id AND NOT e.creative @> c.creative`.execute(tx);
}
