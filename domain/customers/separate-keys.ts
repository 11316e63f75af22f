import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { live } from './person-tree.ts';
import { type Undoing, undoMerges } from './undo-merges.ts';
import { lookAround, type StandingMerge } from './without-merges.ts';

/**
 * Takes a customer apart that earlier versions made of several keys of the caller, before one of the keys is erased. Messages are replayed
 * under the rule of today: what joined two keys is undone, unless a member confirmed it. Returns whether anything was undone.
 */
export async function separateKeys(tx: Tx, customerId: string, undoing: Undoing): Promise<boolean> {
  const { profileId } = undoing;
  if (!(await hasSeveralKeys(tx, profileId, customerId))) return false;
  await splitSharedRows(tx, profileId, customerId);
  const merges = await findMergesOfKeys(tx, profileId, customerId);
  if (merges.length > 0) await undoMerges(tx, merges, undoing);
  return merges.length > 0;
}

/** Whether a customer was made of several keys, and no member confirmed that they are one. */
export async function hasUnconfirmedKeys(tx: Tx, profileId: string, customerId: string): Promise<boolean> {
  if (!(await hasSeveralKeys(tx, profileId, customerId))) return false;
  const { rows } = await sql`
    SELECT FROM identifiers WHERE profile_id = ${profileId} AND customer_id = ${customerId} AND kind = 'external_customer_id'
    GROUP BY coalesce(moved_from, customer_id) HAVING count(*) > 1 LIMIT 1`.execute(tx);
  return rows.length > 0 || (await findMergesOfKeys(tx, profileId, customerId)).length > 0;
}

async function hasSeveralKeys(tx: Tx, profileId: string, customerId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM identifiers WHERE profile_id = ${profileId} AND customer_id = ${customerId} AND kind = 'external_customer_id' LIMIT 2`.execute(
    tx,
  );
  return rows.length > 1;
}

/** Merges that joined two keys and were not confirmed. */
async function findMergesOfKeys(tx: Tx, profileId: string, customerId: string): Promise<StandingMerge[]> {
  const around = await lookAround(tx, profileId, [customerId]);
  const own = new Set(around.customers.flatMap(({ id, personId }) => (personId === customerId ? [id] : [])));
  const confirmed = around.merges.filter(({ isConfirmed }) => isConfirmed);
  const isConfirmed = ({ one, other }: { one: string; other: string }) =>
    confirmed.some(
      (merge) => (merge.one === one && merge.other === other) || (merge.one === other && merge.other === one),
    );
  const { parts } = live(
    around.customers.filter(({ id }) => own.has(id)),
    around.said.map((pair) => ({ ...pair, isStanding: isConfirmed(pair) })),
    around.kept,
  );
  const partOf = new Map(parts.flatMap(({ rootId, memberIds }) => memberIds.map((id) => [id, rootId])));
  return around.merges.filter(
    (merge) => own.has(merge.one) && !merge.isConfirmed && partOf.get(merge.one) !== partOf.get(merge.other),
  );
}

/**
 * A key that was added to a customer with another key left no merge. Gives each further key a customer of its own, with what the same
 * message named, merged into the first; undoing that merge moves the records that named the key.
 */
async function splitSharedRows(tx: Tx, profileId: string, customerId: string): Promise<void> {
  const { rows } = await sql<{ value: string; node: string; source: string; said_at: Date; request_id: string | null }>`
    SELECT value, node, source, said_at, request_id FROM (
      SELECT value, coalesce(moved_from, customer_id) AS node, source, said_at, request_id,
        row_number() OVER (PARTITION BY coalesce(moved_from, customer_id) ORDER BY said_at, value) AS number
      FROM identifiers WHERE profile_id = ${profileId} AND customer_id = ${customerId} AND kind = 'external_customer_id') k
    WHERE number > 1 ORDER BY said_at, value`.execute(tx);
  for (const { value, node, source, said_at, request_id } of rows) {
    const id = uuid();
    await sql`
      INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at, merged_into)
      SELECT profile_id, ${id}, ARRAY[${source}], '{}', ${said_at}, ${said_at},
        greatest(${said_at}::timestamptz, created_at + interval '1 microsecond'), ${customerId}
      FROM customers WHERE profile_id = ${profileId} AND id = ${node}`.execute(tx);
    await sql`
      UPDATE identifiers i SET moved_from = ${id}
      WHERE profile_id = ${profileId} AND customer_id = ${customerId} AND coalesce(moved_from, customer_id) = ${node}
        AND ((kind = 'external_customer_id' AND value = ${value})
          OR (kind <> 'external_customer_id' AND request_id = ${request_id} AND NOT EXISTS (
            SELECT FROM identifiers k
            WHERE k.profile_id = ${profileId} AND k.customer_id = ${customerId} AND k.kind = 'external_customer_id' AND k.value <> ${value}
              AND k.request_id = ${request_id})))`.execute(tx);
    await sql`
      INSERT INTO merges (profile_id, loser_id, survivor_id, merged_at, source, request_id, said_kinds, named_one, named_other)
      VALUES (${profileId}, ${id}, ${customerId}, ${said_at}, ${source}, ${request_id}, '{external_customer_id}', ${node}, ${id})`.execute(
      tx,
    );
  }
}
