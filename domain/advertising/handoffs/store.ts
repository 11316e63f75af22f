import type { Schema, Tx } from '@tributary/postgres';
import type { HandoffReason } from '@tributary/vocabulary';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Handoff, SettledHandoff } from './handoff.ts';

export type HandoffRow = Selectable<Schema['handoffs']>;

export const insertHandoff = (tx: Tx, row: Insertable<Schema['handoffs']>): Promise<HandoffRow> =>
  tx.insertInto('handoffs').values(row).returningAll().executeTakeFirstOrThrow();

/** Limited to one app if `appId` is given. */
export function findHandoff(tx: Tx, profileId: string, id: string, appId?: string): Promise<HandoffRow | undefined> {
  const rows = tx.selectFrom('handoffs').selectAll().where('profile_id', '=', profileId).where('id', '=', id);
  return (appId ? rows.where('app_id', '=', appId) : rows).executeTakeFirst();
}

/** Finds an open hand-off that reconnects this connection and is still valid at a later time. */
export const findReconnect = (tx: Tx, profileId: string, connectionId: string, usableUntil: Date) =>
  tx
    .selectFrom('handoffs')
    .select(['id', 'capability'])
    .where('profile_id', '=', profileId)
    .where('reconnects', '=', connectionId)
    .where('status', '=', 'pending')
    .where('claimed_at', 'is', null)
    .where('expires_at', '>', usableUntil)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Finds and locks a hand-off. */
export const lockHandoff = (tx: Tx, profileId: string, id: string): Promise<HandoffRow | undefined> =>
  tx
    .selectFrom('handoffs')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** The location of a hand-off, for an anonymous holder of its link. */
export interface HandoffLocation {
  readonly profileId: string;
  readonly workspaceId: string;
  readonly id: string;
}

export const locateHandoff = (hash: Buffer) =>
  sql<HandoffLocation>`
    SELECT profile_id AS "profileId", workspace_id AS "workspaceId", id FROM find_handoff(${hash})`;

export const toHandoff = (row: HandoffRow): Handoff => ({
  status: row.status,
  expiresAt: row.expires_at,
  claimedAt: row.claimed_at,
  reason: row.reason,
  candidateCount: row.candidate_count,
});

/** Claims the hand-off for a consent. */
export const claimHandoff = (tx: Tx, { profile_id, id }: HandoffRow, claim: string, now: Date) =>
  tx
    .updateTable('handoffs')
    .set({ claim, claimed_at: now })
    .where('profile_id', '=', profile_id)
    .where('id', '=', id)
    .execute();

/** Releases the claim, so that the link can be used again at once. */
export const releaseHandoff = (tx: Tx, { profile_id, id }: HandoffRow) =>
  tx
    .updateTable('handoffs')
    .set({ claim: null, claimed_at: null })
    .where('profile_id', '=', profile_id)
    .where('id', '=', id)
    .execute();

export const settleHandoff = (tx: Tx, { profile_id, id }: HandoffRow, settled: SettledHandoff, now: Date) =>
  tx
    .updateTable('handoffs')
    .set({
      status: settled.status,
      completed_at: now,
      connection_id: settled.connectionId,
      candidate_count: settled.candidateCount,
      selection_expires_at: settled.selectionExpiresAt,
      reason: settled.reason,
      claim: null,
      claimed_at: null,
    })
    .where('profile_id', '=', profile_id)
    .where('id', '=', id)
    .execute();

/** Stores the reason of a failed attempt that does not end the pending hand-off. */
export const saveAttempt = (tx: Tx, { profileId, id }: HandoffLocation, reason: HandoffReason, now: Date) =>
  tx
    .updateTable('handoffs')
    .set({ last_attempt_reason: reason, last_attempt_at: now })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();
