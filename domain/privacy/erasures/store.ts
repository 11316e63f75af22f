import type { ErasureReason, ErasureStatus } from '@tributary/contract';
import type { Cleared } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import type { StreamPosition } from '@tributary/stream';
import type { Item } from '@tributary/work';
import { sql } from 'kysely';

/** A receipt as stored. */
export interface Erasure {
  readonly id: string;
  readonly requestRef: string;
  readonly status: ErasureStatus;
  readonly reason: ErasureReason;
  readonly customerKey: Buffer | null;
  readonly requestedAt: Date;
  readonly completedAt: Date | null;
  readonly cleared: Cleared;
}

const columns = sql`id, request_ref AS "requestRef", status, reason, customer_key AS "customerKey", requested_at AS "requestedAt",
  completed_at AS "completedAt", cleared`;

/** Serialises requests with the same request_ref, even if they name different customers. */
export async function lockRef(tx: Tx, profileId: string, requestRef: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`erasure:${profileId}:${requestRef}`}, 0))`.execute(tx);
}

export async function findByRef(tx: Tx, profileId: string, requestRef: string): Promise<Erasure | undefined> {
  const { rows } = await sql<Erasure>`
    SELECT ${columns} FROM erasures WHERE profile_id = ${profileId} AND request_ref = ${requestRef}`.execute(tx);
  return rows[0];
}

/** Oldest first. */
export async function findErasures(tx: Tx, profileId: string, ids: readonly string[]): Promise<Erasure[]> {
  const { rows } = await sql<Erasure>`
    SELECT ${columns} FROM erasures WHERE profile_id = ${profileId} AND id = ANY (${[...ids]}::uuid[])
    ORDER BY requested_at, id`.execute(tx);
  return rows;
}

/** Newest first, starting after the given receipt. */
export async function listReceipts(
  tx: Tx,
  profileId: string,
  after: string | undefined,
  limit: number,
): Promise<Erasure[]> {
  const { rows } = await sql<Erasure>`
    SELECT ${columns} FROM erasures WHERE profile_id = ${profileId}
      AND (${after ?? null}::uuid IS NULL OR (requested_at, id) < (
        SELECT requested_at, id FROM erasures WHERE profile_id = ${profileId} AND id = ${after ?? null}::uuid))
    ORDER BY requested_at DESC, id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function insertErasure(tx: Tx, profileId: string, erasure: Erasure): Promise<void> {
  await sql`
    INSERT INTO erasures (profile_id, id, request_ref, status, reason, customer_key, requested_at, completed_at, cleared)
    VALUES (${profileId}, ${erasure.id}, ${erasure.requestRef}, ${erasure.status}, ${erasure.reason}, ${erasure.customerKey},
      ${erasure.requestedAt}, ${erasure.completedAt}, ${JSON.stringify(erasure.cleared)})`.execute(tx);
}

/** The second half of an erasure, which clears the other stores. */
export interface ErasureWork extends Item {
  readonly profileId: string;
  readonly erasureId: string;
  readonly shellId: string;
  readonly personIds: readonly string[];
  readonly logPosition: StreamPosition | null;
}

export async function insertWork(tx: Tx, work: Omit<ErasureWork, 'id' | 'logPosition'>): Promise<void> {
  await sql`
    INSERT INTO erasure_work (profile_id, erasure_id, shell_id, person_ids)
    VALUES (${work.profileId}, ${work.erasureId}, ${work.shellId}, ${[...work.personIds]}::uuid[])`.execute(tx);
}

/** Open work of a profile, oldest first. */
export async function listWork(tx: Tx, profileId: string, limit: number): Promise<ErasureWork[]> {
  const { rows } = await sql<ErasureWork>`
    SELECT erasure_id AS id, profile_id AS "profileId", erasure_id AS "erasureId", shell_id AS "shellId", person_ids AS "personIds",
      log_position AS "logPosition"
    FROM erasure_work WHERE profile_id = ${profileId} AND NOT is_set_aside ORDER BY erasure_id LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

export async function notePosition(
  tx: Tx,
  profileId: string,
  erasureIds: readonly string[],
  position: StreamPosition,
): Promise<void> {
  await sql`
    UPDATE erasure_work SET log_position = ${position}
    WHERE profile_id = ${profileId} AND erasure_id = ANY (${[...erasureIds]}::uuid[]) AND log_position IS NULL`.execute(
    tx,
  );
}

/** A parked erasure keeps its row: until it is done, writers look up its shell customer there for late data of the erased person. */
export async function setWorkAside(
  tx: Tx,
  profileId: string,
  erasureIds: readonly string[],
  is: boolean,
): Promise<void> {
  await sql`
    UPDATE erasure_work SET is_set_aside = ${is}
    WHERE profile_id = ${profileId} AND erasure_id = ANY (${[...erasureIds]}::uuid[])`.execute(tx);
}

/** Returns false if it is already done. */
export async function lockWork(tx: Tx, profileId: string, erasureId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM erasure_work WHERE profile_id = ${profileId} AND erasure_id = ${erasureId} FOR UPDATE`.execute(tx);
  return rows.length > 0;
}

export async function finish(tx: Tx, profileId: string, erasureId: string, cleared: Cleared, now: Date): Promise<void> {
  await sql`
    UPDATE erasures SET status = 'done', completed_at = coalesce(completed_at, ${now}), cleared = cleared || ${JSON.stringify(cleared)}::jsonb
    WHERE profile_id = ${profileId} AND id = ${erasureId}`.execute(tx);
  // Deleting the row removes the last reference from the receipt to the person's events.
  await sql`DELETE FROM erasure_work WHERE profile_id = ${profileId} AND erasure_id = ${erasureId}`.execute(tx);
}
