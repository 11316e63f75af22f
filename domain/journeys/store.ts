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

const place = (profileId: string, personId: string) => ({
  table: 'journey_summaries',
  column: 'sealed',
  row: personId,
  profileId,
});

export const sealedSummaries: SealedColumn = {
  table: 'journey_summaries',
  column: 'sealed',
  key: ['profile_id', 'person_id'],
  place: (profileId, personId) => place(profileId, String(personId)),
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
  // One that no key opens is none: another can be written.
  const text = row && tryOpen(() => vault.open(row.sealed, place(profileId, personId)));
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
  /** Whom it is of, and what it says. */
  readonly content: unknown;
  readonly at: Date;
}

/** Every summary of a profile that a key opens, a page after the other. */
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
      const text = tryOpen(() => vault.open(sealed, place(profileId, personId)));
      return text === undefined ? [] : [{ personId, content: { of: personId, text }, at }];
    });
    after = last.person_id;
  }
}

/** In the place of an earlier one. */
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
    sealed: vault.seal(summary.text, place(profileId, personId)),
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

/** Removes what this room holds of people, named by customer or by browser. Resolves to how many rows there were. */
export async function eraseJourneys(tx: Tx, profileId: string, personIds: readonly string[]): Promise<number> {
  const { rows } = await sql`
    DELETE FROM journey_summaries WHERE profile_id = ${profileId} AND person_id = ANY (${[...personIds]}::uuid[])
    RETURNING person_id`.execute(tx);
  return rows.length;
}

/** One unit of the workspace's allowance of the day (UTC); false when there is none left. */
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

/** What came to nothing is not counted. */
export async function giveUnitBack(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 10);
  await sql`
    UPDATE model_allowances SET used = used - 1
    WHERE workspace_id = ${workspaceId} AND day = ${day}::date AND used > 0`.execute(tx);
}
