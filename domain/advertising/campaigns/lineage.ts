import type { Tx } from '@tributary/postgres';
import type { EntityLevel } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** The external id and name of an entity. */
export interface NamedEntity {
  readonly externalId: string;
  /** '' if unknown. */
  readonly name: string;
}

/** An entity and its parents, by level. */
export type Lineage = Partial<Record<EntityLevel, NamedEntity>>;

/** Finds the entity and its parents for each known id. */
export async function findLineages(tx: Tx, profileId: string, ids: readonly string[]): Promise<Map<string, Lineage>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const { rows } = await sql<{ requested: string; level: EntityLevel; externalId: string; name: string }>`
    WITH RECURSIVE ancestors AS (
      SELECT e.id AS requested, e.level, e.external_id, e.name, e.parent_id, 1 AS distance
      FROM ad_entities e WHERE e.profile_id = ${profileId} AND e.id = ANY (${distinct}::uuid[])
      UNION ALL
      SELECT ancestors.requested, e.level, e.external_id, e.name, e.parent_id, ancestors.distance + 1
      FROM ancestors JOIN ad_entities e ON e.profile_id = ${profileId} AND e.id = ancestors.parent_id
      -- Stops at three levels, even if a platform reports a cycle.
      WHERE ancestors.distance < 3
    )
    SELECT requested, level, external_id AS "externalId", name FROM ancestors ORDER BY distance DESC`.execute(tx);
  const lineages = new Map<string, Lineage>();
  for (const { requested, level, externalId, name } of rows)
    lineages.set(requested, { ...lineages.get(requested), [level]: { externalId, name } });
  return lineages;
}
