import type { Cleared, ErasedPerson } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import type { Json } from '@tributary/rules';
import { sql } from 'kysely';
import { markDirty } from './mark-dirty.ts';

/** Further fields of an outcome without personal data: how it was reported, its ad and its region. */
export const impersonalFields = ['action_source', 'ad_id', 'region'] as const;

export const withoutPersonalData = (rest: Readonly<Record<string, Json | undefined>>): Record<string, Json> =>
  Object.fromEntries(
    impersonalFields.flatMap((name) => {
      const value = rest[name];
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );

/**
 * Moves outcomes to a customer without personal data. They keep amount, time and first-payment state. Each distinct `subject_ref` becomes a
 * random id, because first payments depend on it and reports must not change. Skips outcomes already cleared, so it can be run again for the
 * target customer itself.
 */
export async function eraseOutcomes(tx: Tx, { profileId, customerIds, shellId, at }: ErasedPerson): Promise<Cleared> {
  const ids = [...customerIds];
  const { rows } = await sql<{ id: string }>`
    WITH subjects AS MATERIALIZED (
      SELECT subject_ref, gen_random_uuid()::text AS stand_in FROM (
        SELECT DISTINCT subject_ref FROM outcomes
        WHERE profile_id = ${profileId} AND customer_id = ANY (${ids}::uuid[]) AND subject_ref IS NOT NULL AND erased_at IS NULL) named
    )
    UPDATE outcomes o SET customer_id = ${shellId}, erased_at = ${at}, updated_at = ${at}, is_payer_assigned = false, said_customer_id = NULL,
      moved_from = NULL, named_kind = NULL, named_value = NULL,
      subject_ref = (SELECT stand_in FROM subjects s WHERE s.subject_ref = o.subject_ref),
      rest = coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(o.rest)
        WHERE key = ANY (${[...impersonalFields]}::text[]) AND value <> 'null'), '{}')
    WHERE o.profile_id = ${profileId} AND o.customer_id = ANY (${ids}::uuid[]) AND o.erased_at IS NULL RETURNING o.id`.execute(
    tx,
  );
  // Payments that a merchant assigned to another customer: their messages named the erased one, so their fields are cleared too.
  await sql`
    UPDATE outcomes o SET said_customer_id = NULL, named_kind = NULL, named_value = NULL, updated_at = ${at},
      rest = coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(o.rest)
        WHERE key = ANY (${[...impersonalFields]}::text[]) AND value <> 'null'), '{}')
    WHERE o.profile_id = ${profileId} AND o.said_customer_id = ANY (${ids}::uuid[])`.execute(tx);
  // Recomputing the conversions replaces the customer in ClickHouse.
  await markDirty(tx, profileId, new Map(rows.map(({ id }) => [id, ['erasure']])));
  const { numAffectedRows } = await sql`
    DELETE FROM dirty_customers WHERE profile_id = ${profileId} AND customer_id = ANY (${ids}::uuid[])`.execute(tx);
  // A pending derivation of first payments moves to the customer that holds the payments now.
  if (numAffectedRows)
    await sql`INSERT INTO dirty_customers (profile_id, customer_id) VALUES (${profileId}, ${shellId})`.execute(tx);
  return { outcomes: rows.length, dirty_customers: Number(numAffectedRows ?? 0) };
}

/** The number of a customer's conversions that wait for attribution. */
export async function countDirty(tx: Tx, profileId: string, customerId: string): Promise<number> {
  const { rows } = await sql<{ n: string }>`
    SELECT count(*) AS n FROM outcomes o JOIN dirty_conversions d ON d.profile_id = o.profile_id AND d.outcome_id = o.id
    WHERE o.profile_id = ${profileId} AND o.customer_id = ${customerId}`.execute(tx);
  return Number(rows[0]?.n ?? 0);
}

export async function hasOutcomes(tx: Tx, profileId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('outcomes')
    .select('id')
    .where('profile_id', '=', profileId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
