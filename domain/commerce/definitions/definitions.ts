import type { Tx } from '@tributary/postgres';
import { type Definition, eventNameKey, initialDefinitions, revenueType } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

export interface StoredDefinition extends Definition {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Serialises writers of a profile's definitions, so that checks still hold when the changes are written. */
export async function lockDefinitions(tx: Tx, profileId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9009))`.execute(tx);
}

/** The profile's definitions. Creates the default ones if it has none. */
export async function loadDefinitions(tx: Tx, profileId: string, now: Date): Promise<StoredDefinition[]> {
  const found = await readDefinitions(tx, profileId);
  if (found.length > 0) return found;
  for (const definition of initialDefinitions) {
    await insertDefinition(tx, profileId, {
      ...definition,
      id: uuid(),
      name: definition.key.replaceAll('_', ' '),
      createdAt: now,
      updatedAt: now,
    });
  }
  return readDefinitions(tx, profileId);
}

/** The keys of the profile's oldest definitions, limited for use in a response. */
export async function listDefinitionKeys(tx: Tx, profileId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('definitions')
    .select('key')
    .where('profile_id', '=', profileId)
    .where('kind', '=', 'goal')
    .orderBy('created_at')
    .orderBy('key')
    .limit(limits.events.namedDefinitions)
    .execute();
  return rows.map(({ key }) => key);
}

/** The profile's definitions, without creating the default ones. */
export async function readDefinitions(tx: Tx, profileId: string): Promise<StoredDefinition[]> {
  const { rows } = await sql<StoredDefinition>`
    SELECT d.id, d.key, d.name, d.conversion_type AS "conversionType", d.counts_as_cash AS "countsAsCash",
      d.is_attribution_eligible AS "isAttributionEligible", d.lookback_window_days AS "lookbackWindowDays",
      d.is_default AS "isDefault", d.created_at AS "createdAt", d.updated_at AS "updatedAt",
      ARRAY (SELECT e.event_key::text FROM definition_events e WHERE e.profile_id = d.profile_id AND e.definition_id = d.id
        ORDER BY e.event_key) AS "eventNames"
    FROM definitions d WHERE d.profile_id = ${profileId} AND d.kind = 'goal' ORDER BY d.created_at, d.key`.execute(tx);
  return rows;
}

/** Does nothing if a concurrent request has inserted the same default definition. */
async function insertDefinition(tx: Tx, profileId: string, definition: StoredDefinition): Promise<void> {
  const inserted = await tx
    .insertInto('definitions')
    .values(toColumns(profileId, definition))
    .onConflict((conflict) => conflict.columns(['profile_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) await writeEvents(tx, profileId, definition);
}

/** Inserts or updates a definition. */
export async function saveDefinition(tx: Tx, profileId: string, definition: StoredDefinition): Promise<void> {
  if (definition.isDefault) {
    await tx
      .updateTable('definitions')
      .set({ is_default: false })
      .where('profile_id', '=', profileId)
      .where('id', '<>', definition.id)
      .execute();
  }
  const columns = toColumns(profileId, definition);
  await tx
    .insertInto('definitions')
    .values(columns)
    .onConflict((conflict) => conflict.columns(['profile_id', 'id']).doUpdateSet(columns))
    .execute();
  await tx
    .deleteFrom('definition_events')
    .where('profile_id', '=', profileId)
    .where('definition_id', '=', definition.id)
    .execute();
  await writeEvents(tx, profileId, definition);
}

async function writeEvents(tx: Tx, profileId: string, { id, eventNames }: StoredDefinition): Promise<void> {
  const rows = eventNames.map((name) => ({ profile_id: profileId, event_key: eventNameKey(name), definition_id: id }));
  await tx.insertInto('definition_events').values(rows).execute();
}

/** Deletes a definition; its events are deleted by cascade. */
export async function removeDefinition(tx: Tx, profileId: string, id: string): Promise<void> {
  await tx.deleteFrom('definitions').where('profile_id', '=', profileId).where('id', '=', id).execute();
}

/** Records permanently when definitions were first attributed. Resolves to those that had no such time yet. */
export async function stampAttributed(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
  now: Date,
): Promise<{ readonly id: string; readonly key: string }[]> {
  if (ids.length === 0) return [];
  return tx
    .updateTable('definitions')
    .set({ first_attributed_at: now })
    .where('profile_id', '=', profileId)
    .where('id', 'in', [...ids])
    .where('first_attributed_at', 'is', null)
    .returning(['id', 'key'])
    .execute();
}

const toColumns = (profileId: string, definition: StoredDefinition) => ({
  profile_id: profileId,
  id: definition.id,
  key: definition.key,
  name: definition.name,
  conversion_type: definition.conversionType,
  counts_as_cash: definition.countsAsCash,
  is_attribution_eligible: definition.isAttributionEligible,
  lookback_window_days: definition.lookbackWindowDays,
  is_default: definition.isDefault,
  created_at: definition.createdAt,
  updated_at: definition.updatedAt,
});

export const toGoalDefinition = (definition: StoredDefinition) => ({
  id: definition.id,
  conversion_key: definition.key,
  name: definition.name,
  conversion_type: definition.conversionType,
  event_names: [...definition.eventNames],
  counts_as_cash: definition.countsAsCash,
  is_attribution_eligible: definition.isAttributionEligible,
  lookback_window_days: definition.lookbackWindowDays,
  is_default: definition.isDefault,
  revenue_type: revenueType(definition),
  created_at: definition.createdAt.toISOString(),
  updated_at: definition.updatedAt.toISOString(),
});
