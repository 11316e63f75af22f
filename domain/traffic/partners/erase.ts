import type { Cleared, ErasedPerson, FindNamingErased } from '@tributary/domain/commerce/customers';
import type { Postgres, Tx } from '@tributary/postgres';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';

/**
 * Moves touches to the anonymous customer, so that reports keep their figures, and deletes answer texts. Keys are only
 * stored as hashes.
 */
export async function erasePartnerTouches(tx: Tx, { profileId, customerIds, shellId }: ErasedPerson): Promise<Cleared> {
  const { numAffectedRows } = await sql`
    UPDATE partner_touches SET customer_id = ${shellId}, answer_text = NULL, moved_from = NULL
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[])`.execute(tx);
  return { partner_touches: Number(numAffectedRows ?? 0) };
}

const batchSize = 5_000;

/** Deletes other customers' answer texts that name an erased customer. */
export async function eraseInAnswers(
  app: Postgres,
  profileId: string,
  findNaming: FindNamingErased,
  signal: AbortSignal,
): Promise<Cleared> {
  const ledger = app.forProfile(profileId);
  let cleared = 0;
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    signal.throwIfAborted();
    const from: string = after;
    const { rows } = await ledger.transaction(
      (tx) =>
        sql<{ id: string; content: string; at: Date }>`
          SELECT id, answer_text AS content, recorded_at AS at FROM partner_touches
          WHERE profile_id = ${profileId} AND id > ${from} AND answer_text IS NOT NULL ORDER BY id LIMIT ${batchSize}`.execute(
          tx,
        ),
      { readOnly: true },
    );
    after = rows.at(-1)?.id;
    const ids = (await findNaming(profileId, rows)).map(({ id }) => id);
    if (ids.length === 0) continue;
    await ledger.transaction((tx) =>
      sql`UPDATE partner_touches SET answer_text = NULL WHERE profile_id = ${profileId} AND id = ANY (${ids}::uuid[])`.execute(
        tx,
      ),
    );
    cleared += ids.length;
  }
  return { partner_touches_naming: cleared };
}
