import type { Tx } from '@tributary/postgres';
import type { EntityLevel } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** A campaign, ad set or ad as the last sync reported it, for modules that change it at its platform. */
export interface ActableEntity {
  readonly id: string;
  readonly platform: string;
  readonly level: EntityLevel;
  readonly externalId: string;
  readonly name: string;
  /** '' if unknown. */
  readonly status: string;
  /** The connection that reported it; null for a file or the API. */
  readonly connectionId: string | null;
}

/** Without `platform`, an id used by two platforms selects the one whose name sorts first. */
export async function findActable(
  tx: Tx,
  profileId: string,
  level: EntityLevel,
  externalId: string,
  platform: string | null = null,
): Promise<ActableEntity | undefined> {
  const { rows } = await sql<ActableEntity>`
    SELECT id, platform, level, external_id AS "externalId", name, status,
      connection_id AS "connectionId" FROM ad_entities
    WHERE profile_id = ${profileId} AND external_id = ${externalId} AND level = ${level}
      AND (${platform}::text IS NULL OR platform = ${platform}) ORDER BY platform LIMIT 1`.execute(tx);
  return rows[0];
}

/**
 * The ads of a campaign, with or without a known ad set. Written with OR, which PostgreSQL answers with a hash table: for a profile that is newer than
 * the statistics it expects one row, and would compare every ad with every ad set.
 */
const selectAdsOf = (profileId: string, campaignId: string) => sql`
  SELECT a.* FROM ad_entities a WHERE a.profile_id = ${profileId} AND a.level = 'ad' AND (a.parent_id = ${campaignId}
    OR a.parent_id IN (
      SELECT s.id FROM ad_entities s WHERE s.profile_id = ${profileId} AND s.parent_id = ${campaignId} AND s.level = 'ad_set'))`;

export async function countActiveAds(tx: Tx, profileId: string, campaignId: string): Promise<number> {
  const { rows } = await sql<{ ads: string }>`
    SELECT count(*) AS ads FROM (${selectAdsOf(profileId, campaignId)}) ads WHERE status = 'ACTIVE'`.execute(tx);
  return Number(rows[0]?.ads ?? 0);
}

export async function listActiveAds(tx: Tx, profileId: string, campaignId: string, limit: number) {
  const { rows } = await sql<{ externalId: string; name: string }>`
    SELECT external_id AS "externalId", name FROM (${selectAdsOf(profileId, campaignId)}) ads WHERE status = 'ACTIVE'
    ORDER BY external_id LIMIT ${limit}`.execute(tx);
  return rows;
}

/** The spend of a campaign's ads on the last reported days; without spend of ads, the campaign's own spend. */
export async function listRecentSpend(tx: Tx, profileId: string, campaignId: string, days: number) {
  const spend = (entities: ReturnType<typeof sql>) =>
    sql<{ day: string; spend: string; currency: string }>`
      SELECT day::text, sum(spend)::text AS spend, currency FROM ad_delivery
      WHERE profile_id = ${profileId} AND entity_id = ANY(ARRAY(${entities}))
      GROUP BY day, currency ORDER BY ad_delivery.day DESC LIMIT ${days}`.execute(tx);
  const ofAds = await spend(sql`SELECT id FROM (${selectAdsOf(profileId, campaignId)}) ads`);
  return ofAds.rows.length > 0 ? ofAds.rows : (await spend(sql`SELECT ${campaignId}::uuid`)).rows;
}

export interface AdSetBudget {
  readonly campaignId: string;
  readonly externalId: string;
  readonly name: string;
  readonly currency: string;
  /** A decimal, as last reported by the platform. */
  readonly dailyBudget: string;
}

/** Ad sets with their own daily budget that are not known to be inactive, largest budget first. */
export async function listAdSetBudgets(tx: Tx, profileId: string, campaignIds: readonly string[], limit: number) {
  const { rows } = await sql<AdSetBudget>`
    SELECT c.id AS "campaignId", s.external_id AS "externalId", s.name, s.currency, s.daily_budget::text AS "dailyBudget"
    FROM unnest(${campaignIds}::uuid[]) AS c (id)
    CROSS JOIN LATERAL (
      SELECT external_id, name, currency, daily_budget FROM ad_entities
      WHERE profile_id = ${profileId} AND parent_id = c.id AND level = 'ad_set' AND daily_budget > 0 AND currency <> '' AND status IN ('', 'ACTIVE', 'ENABLED')
      ORDER BY daily_budget DESC, external_id LIMIT ${limit}) s`.execute(tx);
  return rows;
}
