import type { Tx } from '@tributary/postgres';
import { type Definition, eventNameKey, initialDefinitions, revenueType } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** A definition as it is stored. */
export interface StoredDefinition extends Definition {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** One writer of a profile's definitions at a time: what one checks must still be true when it writes. */
export async function lockDefinitions(tx: Tx, profileId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9009))`.execute(tx);
}

/** The profile's definitions. One that has none yet starts with the usual ones. */
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

/** How the profile's definitions are called, the oldest first, as many as are worth telling. */
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

/** As they are, without the usual ones where there are none. */
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

/** Two requests at once may both find none: the second's rows give way. */
async function insertDefinition(tx: Tx, profileId: string, definition: StoredDefinition): Promise<void> {
  const inserted = await tx
    .insertInto('definitions')
    .values(columnsOf(profileId, definition))
    .onConflict((conflict) => conflict.columns(['profile_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) await writeEvents(tx, profileId, definition);
}

/** Writes a new definition, or the new version of one. */
export async function saveDefinition(tx: Tx, profileId: string, definition: StoredDefinition): Promise<void> {
  if (definition.isDefault) {
    await tx
      .updateTable('definitions')
      .set({ is_default: false })
      .where('profile_id', '=', profileId)
      .where('id', '<>', definition.id)
      .execute();
  }
  const columns = columnsOf(profileId, definition);
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

/** With the events that it lists. */
export async function removeDefinition(tx: Tx, profileId: string, id: string): Promise<void> {
  await tx.deleteFrom('definitions').where('profile_id', '=', profileId).where('id', '=', id).execute();
}

/** Notes for good when something was first attributed of them. Resolves to those that it is news of. */
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

const columnsOf = (profileId: string, definition: StoredDefinition) => ({
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

export const showDefinition = (definition: StoredDefinition) => ({
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
