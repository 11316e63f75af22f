import type { Schema, Tx } from '@tributary/postgres';
import type { HandoffReason } from '@tributary/vocabulary';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Handoff, Settled } from './handoff.ts';

export type HandoffRow = Selectable<Schema['handoffs']>;

export const insertHandoff = (tx: Tx, row: Insertable<Schema['handoffs']>): Promise<HandoffRow> =>
  tx.insertInto('handoffs').values(row).returningAll().executeTakeFirstOrThrow();

/** Of one app, or whosever it is. */
export function findHandoff(tx: Tx, profileId: string, id: string, appId?: string): Promise<HandoffRow | undefined> {
  const rows = tx.selectFrom('handoffs').selectAll().where('profile_id', '=', profileId).where('id', '=', id);
  return (appId ? rows.where('app_id', '=', appId) : rows).executeTakeFirst();
}

/** An open hand-off that renews this connection and still works at a later moment. */
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

/** Locked, so that nobody else decides it meanwhile. */
export const lockHandoff = (tx: Tx, profileId: string, id: string): Promise<HandoffRow | undefined> =>
  tx
    .selectFrom('handoffs')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** Where a hand-off is, for somebody who shows its link and belongs to nobody. */
export interface Whereabouts {
  readonly profileId: string;
  readonly workspaceId: string;
  readonly id: string;
}

export const whereabouts = (hash: Buffer) =>
  sql<Whereabouts>`
    SELECT profile_id AS "profileId", workspace_id AS "workspaceId", id FROM find_handoff(${hash})`;

export const handoffOf = (row: HandoffRow): Handoff => ({
  status: row.status,
  expiresAt: row.expires_at,
  claimedAt: row.claimed_at,
  reason: row.reason,
  candidateCount: row.candidate_count,
});

/** For the consent that is to be used. */
export const claimHandoff = (tx: Tx, { profile_id, id }: HandoffRow, claim: string, now: Date) =>
  tx
    .updateTable('handoffs')
    .set({ claim, claimed_at: now })
    .where('profile_id', '=', profile_id)
    .where('id', '=', id)
    .execute();

/** The link can be used again at once. */
export const releaseHandoff = (tx: Tx, { profile_id, id }: HandoffRow) =>
  tx
    .updateTable('handoffs')
    .set({ claim: null, claimed_at: null })
    .where('profile_id', '=', profile_id)
    .where('id', '=', id)
    .execute();

export const settleHandoff = (tx: Tx, { profile_id, id }: HandoffRow, settled: Settled, now: Date) =>
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

/** A consent that decides nothing while the hand-off is pending. */
export const noteAttempt = (tx: Tx, { profileId, id }: Whereabouts, reason: HandoffReason, now: Date) =>
  tx
    .updateTable('handoffs')
    .set({ last_attempt_reason: reason, last_attempt_at: now })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();
