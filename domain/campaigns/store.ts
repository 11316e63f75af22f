import type { Tx, UnboundLedger } from '@tributary/postgres';
import { sql } from 'kysely';
import type { KnownEntity } from './entity.ts';
import type { Figures } from './read-spend.ts';

/** One at a time for a profile: then nobody records the same day between a look and a write, and nobody waits in a circle. */
export async function lockDelivery(tx: Tx, profileId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9021))`.execute(tx);
}

export async function findEntities(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, KnownEntity>> {
  const { rows } = await sql<KnownEntity & { revision: string }>`
    SELECT id, platform, level, external_id AS "externalId", parent_id AS "parentId", name, status, objective, format, currency,
      coalesce(daily_budget::text, '') AS "dailyBudget", learning_stage_status AS "learningStage", connection_id AS "connectionId", first_seen::text AS "firstSeen", last_seen::text AS "lastSeen", revision
    FROM ad_entities WHERE profile_id = ${profileId} AND id = ANY (${[...new Set(ids)]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, { ...row, revision: Number(row.revision) }]));
}

export interface EntityChanges {
  readonly touched: readonly KnownEntity[];
  /** Of those, what reports will show otherwise. */
  readonly news: readonly string[];
  /** Whose ads belong to another campaign now, as far as reports can tell. */
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
  // As JSON: one parameter and one text of the statement, however many rows.
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
    SELECT profile_id, id, revision FROM ad_entities WHERE profile_id = ${profileId} AND id = ANY (${changes.news}::uuid[])
    ON CONFLICT (profile_id, entity_id) DO UPDATE SET revision = excluded.revision`.execute(tx);
}

/** The figures of a day as they stand, or stood. */
export interface Delivery {
  readonly entityId: string;
  readonly day: string;
  readonly revision: number;
  readonly recordedAt: Date;
  readonly figures: Figures;
}

export const keyOf = (entityId: string, day: string): string => `${entityId} ${day}`;

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
  wanted: readonly { readonly entity: { readonly id: string }; readonly day: string }[],
): Promise<Map<string, Delivery>> {
  const [ids, days] = [wanted.map(({ entity }) => entity.id), wanted.map(({ day }) => day)];
  const { rows } = await sql<StoredFigures & { entityId: string; day: string; revision: string; recordedAt: Date }>`
    SELECT entity_id AS "entityId", day::text, revision, recorded_at AS "recordedAt", ${sql.raw(figureNames.join())}
    FROM ad_delivery WHERE profile_id = ${profileId}
      AND (entity_id, day) IN (SELECT * FROM unnest(${ids}::uuid[], ${days}::date[]))`.execute(tx);
  return new Map(
    rows.map(({ entityId, day, revision, recordedAt, ...said }) => {
      const numbers = counts.map((name) => [name, said[name] === null ? null : Number(said[name])] as const);
      const figures = { ...said, ...(Object.fromEntries(numbers) as Pick<Figures, (typeof counts)[number]>) };
      return [keyOf(entityId, day), { entityId, day, revision: Number(revision), recordedAt, figures }];
    }),
  );
}

const rowOf = (profileId: string, { entityId, day, revision, recordedAt, figures }: Delivery) => ({
  profile_id: profileId,
  entity_id: entityId,
  day,
  revision,
  recorded_at: recordedAt,
  ...figures,
});

/** Keeps what stands now, what stood before, and that the columns, which show an earlier revision or none, have to be told. */
export async function saveDelivery(
  tx: Tx,
  profileId: string,
  changed: readonly (Delivery & { readonly shownRevision: number })[],
  replaced: readonly Delivery[],
  now: Date,
): Promise<void> {
  if (changed.length === 0) return;
  if (replaced.length > 0) {
    const rows = JSON.stringify(replaced.map((one) => rowOf(profileId, one)));
    await sql`
      INSERT INTO ad_delivery_history (${columns}, replaced_at)
      SELECT ${columns}, ${now}::timestamptz FROM jsonb_populate_recordset(NULL::ad_delivery, ${rows}::jsonb)`.execute(
      tx,
    );
  }
  const updates = ['revision', 'recorded_at', ...figureNames].map((name) => `${name} = excluded.${name}`);
  await sql`
    INSERT INTO ad_delivery (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::ad_delivery, ${JSON.stringify(changed.map((one) => rowOf(profileId, one)))}::jsonb)
    ON CONFLICT (profile_id, entity_id, day) DO UPDATE SET ${sql.raw(updates.join())}`.execute(tx);
  await sql`
    INSERT INTO dirty_delivery (profile_id, entity_id, day, revision, shown_revision)
    SELECT ${profileId}, * FROM unnest(${changed.map((one) => one.entityId)}::uuid[], ${changed.map((one) => one.day)}::date[],
      ${changed.map((one) => one.revision)}::bigint[], ${changed.map((one) => one.shownRevision)}::bigint[])
    ON CONFLICT (profile_id, entity_id, day) DO UPDATE SET revision = excluded.revision`.execute(tx);
}

/** From now on the profile's ads are scored. */
export async function noteAdvertiser(tx: Tx, profileId: string): Promise<void> {
  await sql`INSERT INTO profiles_with_ads (profile_id) VALUES (${profileId}) ON CONFLICT DO NOTHING`.execute(tx);
}

/** A report does not read a whole backfill to know since when it waits. */
const looked = 1_000;

/** Since when something waits to be copied, as the first of what is next in turn says. */
export async function findDeliveryWait(tx: Tx, profileId: string): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    SELECT least(
      (SELECT min(marked_at) FROM (
        SELECT marked_at FROM dirty_entities WHERE profile_id = ${profileId} ORDER BY entity_id LIMIT ${looked}) e),
      (SELECT min(marked_at) FROM (
        SELECT marked_at FROM dirty_delivery WHERE profile_id = ${profileId} ORDER BY entity_id, day LIMIT ${looked}) d)
    ) AS since`.execute(tx);
  return rows[0]?.since ?? null;
}

/** Profiles after another of which something has been waiting to be copied since before a moment, so many of them. As the system. */
export async function listLateDelivery(
  ledger: UnboundLedger,
  { after, since, limit }: { readonly after: string; readonly since: Date; readonly limit: number },
): Promise<string[]> {
  const { rows } = await ledger.query(
    sql<{ id: string }>`SELECT list_waiting_delivery(${after}, ${since}, ${limit}, ${looked}) AS id`,
  );
  return rows.map(({ id }) => id);
}

/** What ads look like, as their platform says. What is told otherwise than before replaces it; what others found of it stays. */
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
