import { announce } from '@tributary/domain/events';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { v5 as uuidFrom } from 'uuid';

/** Tells of each definition's first attributed conversion, once: the stamp on the definition is for good. */
export async function announceAttributed(
  tx: Tx,
  profileId: string,
  outcomeIds: readonly string[],
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ id: string; key: string }>`
    UPDATE definitions SET first_attributed_at = ${now}
    WHERE profile_id = ${profileId} AND first_attributed_at IS NULL AND is_attribution_eligible AND EXISTS (
      SELECT FROM outcomes o
      LEFT JOIN definition_events byname ON byname.profile_id = o.profile_id AND byname.event_key = o.event_key
      LEFT JOIN definition_events bytype ON bytype.profile_id = o.profile_id AND bytype.event_key = o.event_type_key
      WHERE o.profile_id = ${profileId} AND o.id = ANY (${outcomeIds}::uuid[])
        AND coalesce(byname.definition_id, bytype.definition_id) = definitions.id)
    RETURNING id, key`.execute(tx);
  await announce(
    tx,
    rows.map(({ id, key }) => ({
      id: uuidFrom(`conversion.attributed:${id}`, profileId),
      type: 'conversion.attributed',
      data: { profile_id: profileId, definition_id: id, conversion_key: key },
      occurredAt: now,
    })),
  );
}
