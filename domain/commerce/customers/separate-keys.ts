import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { replayMessages } from './merge-groups.ts';
import { type UndoOptions, undoMerges } from './undo-merges.ts';
import { type ActiveMerge, loadNeighbourhood } from './without-merges.ts';

/**
 * Splits a customer that earlier versions created from several keys of the caller, before one of the keys is erased. Replays the messages
 * under the current rules and undoes merges that joined two keys, unless a member confirmed them. Returns whether anything was undone.
 */
export async function separateKeys(tx: Tx, customerId: string, options: UndoOptions): Promise<boolean> {
  const { profileId } = options;
  if (!(await hasSeveralKeys(tx, profileId, customerId))) return false;
  await splitSharedRows(tx, profileId, customerId);
  const merges = await findMergesOfKeys(tx, profileId, customerId);
  if (merges.length > 0) await undoMerges(tx, merges, options);
  return merges.length > 0;
}

/** Whether a customer combines several keys without a member having confirmed it. */
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

/** Unconfirmed merges that joined two keys. */
async function findMergesOfKeys(tx: Tx, profileId: string, customerId: string): Promise<ActiveMerge[]> {
  const nearby = await loadNeighbourhood(tx, profileId, [customerId]);
  const own = new Set(nearby.customers.flatMap(({ id, personId }) => (personId === customerId ? [id] : [])));
  const confirmed = nearby.merges.filter(({ isConfirmed }) => isConfirmed);
  const isConfirmed = ({ one, other }: { one: string; other: string }) =>
    confirmed.some(
      (merge) => (merge.one === one && merge.other === other) || (merge.one === other && merge.other === one),
    );
  const { parts } = replayMessages(
    nearby.customers.filter(({ id }) => own.has(id)),
    nearby.coMentions.map((pair) => ({ ...pair, hasActiveMerge: isConfirmed(pair) })),
    nearby.constraints,
  );
  const partOf = new Map(parts.flatMap(({ rootId, memberIds }) => memberIds.map((id) => [id, rootId])));
  return nearby.merges.filter(
    (merge) => own.has(merge.one) && !merge.isConfirmed && partOf.get(merge.one) !== partOf.get(merge.other),
  );
}

/**
 * A key added to a customer that already had one left no merge to undo. Creates a customer for each further key, with the identifiers of the
 * same message, merged into the first. Undoing that merge moves the records that name the key.
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
