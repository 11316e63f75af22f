import type { FindAdPlatforms } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import type { EntityLevel } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** Returns the ids that are entities of the level. */
export async function findEntitiesOfLevel(
  tx: Tx,
  profileId: string,
  level: EntityLevel,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ad_entities WHERE profile_id = ${profileId} AND level = ${level} AND id = ANY (${ids}::uuid[])`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns the names of entities that have one. */
export async function findNames(tx: Tx, profileId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT id, name FROM ad_entities WHERE profile_id = ${profileId} AND id = ANY (${ids}::uuid[]) AND name IS NOT NULL`.execute(
    tx,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Finds an entity by its platform id. If two platforms use the same id, the one whose name sorts first wins. */
export async function findEntityByExternalId(
  tx: Tx,
  profileId: string,
  level: EntityLevel,
  externalId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ad_entities WHERE profile_id = ${profileId} AND external_id = ${externalId} AND level = ${level}
    ORDER BY platform LIMIT 1`.execute(tx);
  return rows[0]?.id;
}

/** Finds the platforms of ads by external id. If two platforms use the same id, the one whose name sorts first wins. */
export const findAdPlatforms: FindAdPlatforms = async (tx, profileId, adIds) => {
  const { rows } = await sql<{ externalId: string; platform: string }>`
    SELECT external_id AS "externalId", min(platform) AS platform FROM ad_entities
    WHERE profile_id = ${profileId} AND external_id = ANY (${[...new Set(adIds)]}::text[]) AND level = 'ad'
    GROUP BY external_id`.execute(tx);
  return new Map(rows.map(({ externalId, platform }) => [externalId, platform]));
};

export interface StoredAd {
  readonly id: string;
  readonly platform: string;
  readonly externalId: string;
  readonly name: string;
  readonly format: string;
  /** Its own objective, or that of its ad set or campaign. */
  readonly objective: string;
  readonly creative: unknown;
  /** The ids of its ad set and campaign, if known. */
  readonly parentIds: readonly string[];
  readonly adSetName: string | null;
  readonly campaignName: string | null;
}

/** The audience and placement that a campaign or an ad set sets for its ads. */
const selectAudience = (entity: string) =>
  sql.join(
    ['audience_warmth', 'geo', 'placement'].map(
      (trait) =>
        sql`CASE WHEN ${sql.ref(`${entity}.creative`)} ->> ${trait} IS NULL THEN '{}'::jsonb ELSE jsonb_build_object(${trait}::text, ${sql.ref(`${entity}.creative`)} -> ${trait}) END`,
    ),
    sql` || `,
  );

/** Finds ads with their ad set and campaign. An ad without a known ad set belongs directly to its campaign. */
export async function findAds(tx: Tx, profileId: string, ids: readonly string[]): Promise<Map<string, StoredAd>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<StoredAd>`
    SELECT a.id, a.platform, a.external_id AS "externalId", a.name, a.format,
      ${selectAudience('g')} || ${selectAudience('p')} || a.creative AS creative,
      array_remove(ARRAY[p.id, g.id], NULL) AS "parentIds",
      coalesce(nullif(a.objective, ''), nullif(p.objective, ''), nullif(g.objective, ''), '') AS objective,
      CASE WHEN p.level = 'ad_set' THEN nullif(p.name, '') END AS "adSetName",
      nullif(CASE WHEN p.level = 'campaign' THEN p.name ELSE g.name END, '') AS "campaignName"
    FROM ad_entities a
    LEFT JOIN ad_entities p ON p.profile_id = a.profile_id AND p.id = a.parent_id
    LEFT JOIN ad_entities g ON g.profile_id = p.profile_id AND g.id = p.parent_id
    WHERE a.profile_id = ${profileId} AND a.id = ANY (${ids}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}
