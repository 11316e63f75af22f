import type { Tx } from '@tributary/postgres';
import type { IdentifierKind, ProposalState } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { CustomerBook, type Evidence } from './customer-book.ts';
import { findIdentifiers } from './erase.ts';
import { openCustomers } from './open-customers.ts';
import { saveCustomers } from './save-customers.ts';
import { blockCustomerWrites, findSurvivors } from './store.ts';
import type { Tombstones } from './tombstones.ts';
import { PersonMoved } from './undo-merges.ts';

/** A merge of two keyed customers that a member may confirm. */
export interface MergeProposal {
  readonly id: string;
  readonly one: string;
  readonly other: string;
  readonly kind: IdentifierKind;
  readonly value: string;
  readonly source: string;
  readonly proposedAt: Date;
  readonly state: ProposalState;
  readonly decidedAt: Date | null;
  readonly reason: string | null;
  readonly mergeId: string | null;
}

const columns =
  sql.raw(`id, one, other, kind, value, source, proposed_at AS "proposedAt", state, decided_at AS "decidedAt",
  reason, merge_id AS "mergeId"`);

export interface ProposalCursor {
  readonly at: Date;
  readonly id: string;
}

export async function listProposals(
  tx: Tx,
  profileId: string,
  { state, after, limit }: { state: ProposalState; after: ProposalCursor | undefined; limit: number },
): Promise<MergeProposal[]> {
  const beyond = after ? sql`AND (proposed_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``;
  const { rows } = await sql<MergeProposal>`
    SELECT ${columns} FROM merge_proposals WHERE profile_id = ${profileId} AND state = ${state} ${beyond}
    ORDER BY proposed_at DESC, id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function lockProposal(tx: Tx, profileId: string, id: string): Promise<MergeProposal | undefined> {
  const { rows } = await sql<MergeProposal>`
    SELECT ${columns} FROM merge_proposals WHERE profile_id = ${profileId} AND id = ${id} FOR UPDATE`.execute(tx);
  return rows[0];
}

export interface Decision {
  readonly state: Exclude<ProposalState, 'open'>;
  readonly at: Date;
  readonly by: string;
  readonly reason: string;
  readonly mergeId: string | null;
}

export async function decideProposal(
  tx: Tx,
  profileId: string,
  id: string,
  { state, at, by, reason, mergeId }: Decision,
): Promise<void> {
  await sql`
    UPDATE merge_proposals SET state = ${state}, decided_at = ${at}, decided_by = ${by}, reason = ${reason}, merge_id = ${mergeId}
    WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
}

/** The merge, or the reason why it was refused. */
export type ConfirmedMerge =
  | { readonly refused: 'erased' | 'two_national_ids' | 'same_customer' }
  | { readonly refused?: undefined; readonly mergeId: string; readonly survivorId: string; readonly loserId: string };

/**
 * Merges two customers after a member confirmed it, in the caller's transaction. Locks identifiers, then customers, like every writer of
 * identities. Call it within `untilUndone`, which retries on conflicts.
 */
export async function mergeConfirmed(
  tx: Tx,
  profileId: string,
  { one, other, kind }: Pick<MergeProposal, 'one' | 'other' | 'kind'>,
  evidence: Evidence & { readonly confirmedBy: string },
  tombstones: Tombstones,
): Promise<ConfirmedMerge> {
  const survivors = await findSurvivors(tx, profileId, [one, other]);
  const [first, second] = [survivors.get(one), survivors.get(other)];
  if (!first || !second) return { refused: 'erased' };
  if (first === second) return { refused: 'same_customer' };
  const pair = [first, second].sort();
  const opened = await openCustomers(tx, profileId, await findIdentifiers(tx, profileId, pair), tombstones);
  await blockCustomerWrites(tx, profileId, pair);
  const found = opened.customers.filter(({ id }) => pair.includes(id));
  const current = await findSurvivors(tx, profileId, [one, other]);
  if (found.length < 2 || current.get(one) !== first || current.get(other) !== second) throw new PersonMoved();
  const nationalIds = new Set(found.flatMap(({ nationalId }) => nationalId ?? []));
  if (nationalIds.size > 1) return { refused: 'two_national_ids' };
  await sql`
    DELETE FROM kept_apart
    WHERE profile_id = ${profileId} AND one_is = ANY (${pair}::uuid[]) AND other_is = ANY (${pair}::uuid[])`.execute(
    tx,
  );
  const book = new CustomerBook(opened, () => first);
  // Must be the latest merge of the two, even if an undone one has the same timestamp.
  const { rows: previous } = await sql<{ at: Date | null }>`
    SELECT max(merged_at) + interval '1 millisecond' AS at FROM merges WHERE profile_id = ${profileId} AND loser_id = ANY (${pair}::uuid[])`.execute(
    tx,
  );
  const saidAt = new Date(Math.max(evidence.saidAt.getTime(), previous[0]?.at?.getTime() ?? 0));
  const survivorId = book.join(first, second, [kind], { ...evidence, saidAt });
  await saveCustomers(tx, profileId, book.changes());
  const loserId = survivorId === first ? second : first;
  await sql`
    DELETE FROM identity_conflicts c USING identifiers i
    WHERE c.profile_id = ${profileId} AND c.customer_id = ANY (${pair}::uuid[])
      AND i.profile_id = ${profileId} AND i.kind = c.kind AND i.value = c.value AND i.customer_id = ${survivorId}`.execute(
    tx,
  );
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM merges WHERE profile_id = ${profileId} AND loser_id = ${loserId} AND undone_at IS NULL
    ORDER BY merged_at DESC LIMIT 1`.execute(tx);
  return { mergeId: rows[0]?.id ?? '', survivorId, loserId };
}
