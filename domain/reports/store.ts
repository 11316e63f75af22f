import type { EntityLevel } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

export interface ProfilePeriod {
  readonly timeZone: string;
  readonly currency: string;
  readonly from: Date;
  readonly until: Date;
}

/** How the profile reports, and the moments at which the days begin and end in its time zone. */
export async function findPeriod(tx: Tx, profileId: string, firstDay: string, lastDay: string): Promise<ProfilePeriod> {
  const { rows } = await sql<ProfilePeriod>`
    SELECT time_zone AS "timeZone", reporting_currency AS currency, ${firstDay}::date::timestamp AT TIME ZONE time_zone AS "from",
      (${lastDay}::date + 1)::timestamp AT TIME ZONE time_zone AS until
    FROM profiles WHERE id = ${profileId}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The profile is gone.');
  return row;
}

/** Those of the ids that are entities of the level. */
export async function findEntities(
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

/** The entity that a platform calls so. Two platforms may use one id: then the first by the platform's name. */
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

/** The browsers of customers: at most so many for each, the latest linked. */
export async function findBrowsers(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
  most: number,
): Promise<{ customerId: string; visitorId: string }[]> {
  const { rows } = await sql<{ customerId: string; visitorId: string }>`
    SELECT c.id AS "customerId", l.visitor_id AS "visitorId" FROM unnest(${customerIds}::uuid[]) AS c (id)
    CROSS JOIN LATERAL (
      SELECT visitor_id FROM visitor_links
      WHERE profile_id = ${profileId} AND customer_id = c.id ORDER BY linked_at DESC, visitor_id LIMIT ${most}) l`.execute(
    tx,
  );
  return rows;
}
