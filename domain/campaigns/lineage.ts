import type { Tx } from '@tributary/postgres';
import type { EntityLevel } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** What a platform calls a thing. */
export interface NamedEntity {
  readonly externalId: string;
  /** '' while nobody has told it. */
  readonly name: string;
}

/** An entity and what it belongs to, by level. */
export type Lineage = Partial<Record<EntityLevel, NamedEntity>>;

/** For each id that is known, the entity and those above it. */
export async function findLineages(tx: Tx, profileId: string, ids: readonly string[]): Promise<Map<string, Lineage>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const { rows } = await sql<{ asked: string; level: EntityLevel; externalId: string; name: string }>`
    WITH RECURSIVE line AS (
      SELECT e.id AS asked, e.level, e.external_id, e.name, e.parent_id, 1 AS step
      FROM ad_entities e WHERE e.profile_id = ${profileId} AND e.id = ANY (${distinct}::uuid[])
      UNION ALL
      SELECT line.asked, e.level, e.external_id, e.name, e.parent_id, line.step + 1
      FROM line JOIN ad_entities e ON e.profile_id = ${profileId} AND e.id = line.parent_id
      -- There are three levels; whatever a platform says of who belongs to whom, this ends.
      WHERE line.step < 3
    )
    SELECT asked, level, external_id AS "externalId", name FROM line ORDER BY step DESC`.execute(tx);
  const lineages = new Map<string, Lineage>();
  for (const { asked, level, externalId, name } of rows)
    lineages.set(asked, { ...lineages.get(asked), [level]: { externalId, name } });
  return lineages;
}
