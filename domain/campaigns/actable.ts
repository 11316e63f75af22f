import type { Tx } from '@tributary/postgres';
import type { EntityLevel } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** A campaign, ad set or ad as the last sync told it, for whoever changes it at its platform. */
export interface ActableEntity {
  readonly id: string;
  readonly platform: string;
  readonly level: EntityLevel;
  readonly externalId: string;
  readonly name: string;
  /** '' where nobody has said. */
  readonly status: string;
  /** The connection that reported it. Null: a file or the API did. */
  readonly connectionId: string | null;
}

/** Two platforms may use one id: then the first by the platform's name, unless one is given. */
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

/** Ads of a campaign, whether their ad set is known or not. */
const adsOf = (profileId: string, campaignId: string) => sql`
  SELECT a.* FROM ad_entities a WHERE a.profile_id = ${profileId} AND a.level = 'ad' AND a.parent_id IN (
    SELECT ${campaignId}::uuid UNION ALL
    SELECT s.id FROM ad_entities s WHERE s.profile_id = ${profileId} AND s.parent_id = ${campaignId} AND s.level = 'ad_set')`;

export async function countActiveAds(tx: Tx, profileId: string, campaignId: string): Promise<number> {
  const { rows } = await sql<{ ads: string }>`
    SELECT count(*) AS ads FROM (${adsOf(profileId, campaignId)}) ads WHERE status = 'ACTIVE'`.execute(tx);
  return Number(rows[0]?.ads ?? 0);
}

export async function listActiveAds(tx: Tx, profileId: string, campaignId: string, limit: number) {
  const { rows } = await sql<{ externalId: string; name: string }>`
    SELECT external_id AS "externalId", name FROM (${adsOf(profileId, campaignId)}) ads WHERE status = 'ACTIVE'
    ORDER BY external_id LIMIT ${limit}`.execute(tx);
  return rows;
}

/** What a campaign's ads cost on the last days that were told; where nobody told of its ads, what it cost itself. */
export async function listRecentSpend(tx: Tx, profileId: string, campaignId: string, days: number) {
  const spend = (entities: ReturnType<typeof sql>) =>
    sql<{ day: string; spend: string; currency: string }>`
      SELECT day::text, sum(spend)::text AS spend, currency FROM ad_delivery
      WHERE profile_id = ${profileId} AND entity_id IN (${entities})
      GROUP BY day, currency ORDER BY ad_delivery.day DESC LIMIT ${days}`.execute(tx);
  const ofAds = await spend(sql`SELECT id FROM (${adsOf(profileId, campaignId)}) ads`);
  return ofAds.rows.length > 0 ? ofAds.rows : (await spend(sql`${campaignId}::uuid`)).rows;
}

export interface AdSetBudget {
  readonly campaignId: string;
  readonly externalId: string;
  readonly name: string;
  readonly currency: string;
  /** A decimal, as the platform told it last. */
  readonly dailyBudget: string;
}

/** Ad sets of campaigns that have a daily budget of their own and are not known to be off, the largest first. */
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
