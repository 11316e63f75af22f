import type { Ledger, Tx } from '@tributary/postgres';
import { type SealedColumn, tryOpen, type Vault } from '@tributary/vault';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface StoredSummary {
  readonly text: string;
  readonly model: string;
  readonly generatedAt: Date;
  readonly eventsUsed: number;
  readonly isTruncated: boolean;
}

const locationOf = (profileId: string, personId: string) => ({
  table: 'journey_summaries',
  column: 'sealed',
  row: personId,
  profileId,
});

export const sealedSummaries: SealedColumn = {
  table: 'journey_summaries',
  column: 'sealed',
  key: ['profile_id', 'person_id'],
  place: (profileId, personId) => locationOf(profileId, String(personId)),
};

export async function findSummary(
  tx: Tx,
  vault: Vault,
  profileId: string,
  personId: string,
): Promise<StoredSummary | undefined> {
  const row = await tx
    .selectFrom('journey_summaries')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  // A summary whose key is gone counts as missing, so that a new one can be written.
  const text = row && tryOpen(() => vault.open(row.sealed, locationOf(profileId, personId)));
  if (!row || text === undefined) return undefined;
  return {
    text,
    model: row.model,
    generatedAt: row.generated_at,
    eventsUsed: row.events_used,
    isTruncated: row.is_truncated,
  };
}

interface OpenedSummary {
  readonly personId: string;
  /** The person and the text, for the search for erased names. */
  readonly content: unknown;
  readonly at: Date;
}

/** Pages through all summaries of a profile that can be decrypted. */
export async function* openSummaries(ledger: Ledger, profileId: string, vault: Vault): AsyncIterable<OpenedSummary[]> {
  for (let after = nilUuid; ; ) {
    const rows = await ledger.transaction((tx) =>
      tx
        .selectFrom('journey_summaries')
        .select(['person_id', 'sealed', 'generated_at'])
        .where('profile_id', '=', profileId)
        .where('person_id', '>', after)
        .orderBy('person_id')
        .limit(500)
        .execute(),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.flatMap(({ person_id: personId, sealed, generated_at: at }) => {
      const text = tryOpen(() => vault.open(sealed, locationOf(profileId, personId)));
      return text === undefined ? [] : [{ personId, content: { of: personId, text }, at }];
    });
    after = last.person_id;
  }
}

/** Replaces an earlier summary. */
export async function saveSummary(
  tx: Tx,
  vault: Vault,
  profileId: string,
  personId: string,
  summary: StoredSummary,
): Promise<void> {
  const columns = {
    profile_id: profileId,
    person_id: personId,
    sealed: vault.seal(summary.text, locationOf(profileId, personId)),
    model: summary.model,
    generated_at: summary.generatedAt,
    events_used: summary.eventsUsed,
    is_truncated: summary.isTruncated,
  };
  await tx
    .insertInto('journey_summaries')
    .values(columns)
    .onConflict((conflict) => conflict.columns(['profile_id', 'person_id']).doUpdateSet(columns))
    .execute();
}

/** Deletes what this module stores about people, given by customer or visitor id. Returns the number of rows. */
export async function eraseJourneys(tx: Tx, profileId: string, personIds: readonly string[]): Promise<number> {
  const { rows } = await sql`
    DELETE FROM journey_summaries WHERE profile_id = ${profileId} AND person_id = ANY (${[...personIds]}::uuid[])
    RETURNING person_id`.execute(tx);
  return rows.length;
}

/** Takes one unit of the workspace's allowance for the UTC day. Returns false if none is left. */
export async function takeUnit(tx: Tx, workspaceId: string, now: Date, perDay: number): Promise<boolean> {
  const day = now.toISOString().slice(0, 10);
  await tx
    .deleteFrom('model_allowances')
    .where('workspace_id', '=', workspaceId)
    .where('day', '<', sql<Date>`${day}::date`)
    .execute();
  const { rows } = await sql`
    INSERT INTO model_allowances AS a (workspace_id, day, used) SELECT ${workspaceId}, ${day}::date, 1 WHERE ${perDay} > 0
    ON CONFLICT (workspace_id, day) DO UPDATE SET used = a.used + 1 WHERE a.used < ${perDay}
    RETURNING used`.execute(tx);
  return rows.length > 0;
}

/** Returns the unit of a request that produced no summary. */
export async function giveUnitBack(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 10);
  await sql`
    UPDATE model_allowances SET used = used - 1
    WHERE workspace_id = ${workspaceId} AND day = ${day}::date AND used > 0`.execute(tx);
}
