import type { Postgres, Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { refuse } from './refusal.ts';

/** Bytes that do not leave in this time are not sent at all: a switch of privacy waits for them. */
const holdMs = 5_000;
/** Behind a switch that itself waits for somebody's last bytes, whoever comes later waits longer than that. */
const waitMs = 2 * holdMs;
/** What PostgreSQL calls a lock that did not come in time. */
const lockNotAvailable = '55P03';

/** The one way out for personal data of a process. */
export interface PersonGate {
  readonly postgres: Postgres;
}

export const createPersonGate = (postgres: Postgres): PersonGate => ({ postgres });

/** Something that names people and is about to leave: an answer, a delivery, an export. */
export interface Leaving {
  /** What it is, as the access log names it. */
  readonly operation: string;
  readonly profileId: string;
  readonly workspaceId: string;
  /** Who receives it. */
  readonly actor: { readonly kind: string; readonly id: string };
  /** How many people it names. */
  readonly people: number;
  /** What the access log knows it by: the id of the request or of the delivery. */
  readonly requestId: string;
  readonly now: Date;
  /** Looks under the lock whether it may still leave, and throws a refusal if it may not. */
  recheck(tx: Tx): Promise<void>;
}

/**
 * Sends what was prepared. Behind the gate it is given a signal: then it is done when the bytes have left, and once the signal is
 * aborted no further byte may leave.
 */
export type Send = (cut?: AbortSignal) => Promise<void> | void;

/**
 * The one place that personal data passes on its way out. First the access is written down, or nothing is sent. Then the
 * privacy lock is held, shared, while `recheck` looks once more at credential, grant and privacy and until the bytes have left:
 * a switch to healthcare takes the lock alone, so that nothing leaves after it has committed.
 */
export async function leaveWithPeople({ postgres }: PersonGate, leaving: Leaving, send: Send): Promise<void> {
  await recordAccess({ postgres }, leaving, 'served');
  const passed = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const isHeld = postgres.unbound.transaction(async (tx) => {
    await holdPrivacyLock(tx, leaving);
    await leaving.recheck(tx);
    passed.resolve();
    await left.promise;
  });
  try {
    await Promise.race([passed.promise, isHeld]);
  } catch (error) {
    await recordAccess({ postgres }, leaving, 'refused');
    throw error;
  }
  try {
    await sendInTime(send);
  } finally {
    left.resolve();
  }
}

async function sendInTime(send: Send): Promise<void> {
  const cut = new AbortController();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    cut.abort();
    over.reject(new Error('What names people did not leave in time and was cut off.'));
  }, holdMs);
  try {
    await Promise.race([send(cut.signal), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function holdPrivacyLock(tx: Tx, { profileId, workspaceId }: Leaving): Promise<void> {
  await sql.raw(`SET LOCAL lock_timeout = ${waitMs}`).execute(tx);
  await sql`SELECT pg_advisory_xact_lock_shared(privacy_lock(id)) FROM unnest(${[workspaceId, profileId]}::uuid[]) AS id`
    .execute(tx)
    .catch((error: { code?: string }) => {
      if (error.code !== lockNotAvailable) throw error;
      refuse('service_unavailable', 'The profile’s privacy is being switched. Try again in some seconds.');
    });
}

/** Who was given people, or was refused them. Without this entry nothing leaves. */
export async function recordAccess(
  { postgres }: PersonGate,
  { profileId, workspaceId, actor, operation, people, requestId, now }: Omit<Leaving, 'recheck'>,
  result: 'served' | 'refused',
): Promise<void> {
  await postgres.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('pii_access_log')
      .values({
        workspace_id: workspaceId,
        profile_id: profileId,
        id: uuid(),
        at: now,
        actor_kind: actor.kind,
        actor_id: actor.id,
        operation,
        people,
        result,
        request_id: requestId,
      })
      .execute(),
  );
}
