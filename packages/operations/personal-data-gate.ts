import { setTimeout as sleep } from 'node:timers/promises';
import { isUnlocked, type Postgres, type PrivacyLockHandle, type Tx } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';
import { FairScheduler } from './fair-scheduler.ts';
import { Refusal, refuse } from './refusal.ts';

/** A send that takes longer is aborted, because a privacy switch waits for it. */
const holdMs = 5_000;
/** A send that waits for a switch, which itself waits for a last send, may wait longer than that. */
const waitMs = 2 * holdMs;
/** The polling interval while waiting for a privacy switch. */
const pollMs = { first: 5, most: 100 };

/** The personal-data gate of a process. */
export interface PersonalDataGate {
  readonly postgres: Postgres;
  readonly scheduler: FairScheduler;
}

export const createPersonalDataGate = (postgres: Postgres): PersonalDataGate => ({
  postgres,
  scheduler: new FairScheduler({
    perClient: 4,
    perTenant: 8,
    total: 64,
    waitMs,
    timeoutMessage: 'Earlier responses to this client are still being sent. Read them, then retry in a few seconds.',
  }),
});

/** A response, delivery or export with personal data that is about to be sent. */
export interface Disclosure {
  /** The operation, as named in the data access log. */
  readonly operation: string;
  readonly profileId: string;
  readonly workspaceId: string;
  /** Who receives it. */
  readonly actor: { readonly kind: string; readonly id: string };
  /** The number of customers that it identifies. */
  readonly people: number;
  /** The id of the request or delivery, for the data access log. */
  readonly requestId: string;
  readonly now: Date;
  /** Checks under the lock whether it may still be sent, and throws a refusal if not. */
  recheck(tx: Tx): Promise<void>;
}

/** Sends the bytes: resolves when they have been sent; no byte may be sent after the signal is aborted. */
export type Send = (cut: AbortSignal) => Promise<void> | void;

/**
 * The only way to send personal data. First the access is logged; without the entry nothing is sent. Then a shared privacy lock
 * is held while `recheck` verifies credential, grant and privacy mode, and until the bytes have been sent. A switch to healthcare
 * takes the lock exclusively, so nothing is sent after it has committed. Sending holds no pooled connection, and concurrent sends
 * are limited per recipient and tenant.
 */
export async function disclosePersonalData(gate: PersonalDataGate, leaving: Disclosure, send: Send): Promise<void> {
  await inSlot(gate, leaving, () => discloseInSlot(gate, leaving, send));
}

/** Builds the data only when it can be sent, so that nothing accumulates behind a slow reader. */
export function inSlot<A>(
  { scheduler }: PersonalDataGate,
  { actor, workspaceId }: Pick<Disclosure, 'actor' | 'workspaceId'>,
  work: () => Promise<A>,
): Promise<A> {
  return scheduler.run(`${actor.kind} ${actor.id}`, workspaceId, work);
}

/** `leaveWithPeople` for data that is built in its own slot. */
export async function discloseInSlot(gate: PersonalDataGate, leaving: Disclosure, send: Send): Promise<void> {
  const cut = new AbortController();
  await recordAccess(gate, leaving, 'served');
  const held = await lockOrRecord(gate, leaving, () => cut.abort());
  try {
    await sendWithDeadline(send, cut);
  } finally {
    held.release();
  }
}

/** Sends while the lock is held; aborts if the lock is lost or the time limit is reached. */
async function sendWithDeadline(send: Send, cut: AbortController): Promise<void> {
  const { signal } = cut;
  if (signal.aborted) throw abortedError();
  const timer = setTimeout(() => cut.abort(), holdMs);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(abortedError()));
  });
  try {
    await Promise.race([send(signal), aborted]);
  } finally {
    clearTimeout(timer);
  }
}

const abortedError = () => new Refusal('service_unavailable', 'It did not leave in time and was cut off.');

async function lockOrRecord(
  gate: PersonalDataGate,
  leaving: Disclosure,
  onLost: () => void,
): Promise<PrivacyLockHandle> {
  try {
    return await lockAndRecheck(gate, leaving, onLost);
  } catch (error) {
    await recordAccess(gate, leaving, 'refused');
    throw error;
  }
}

/** Takes the lock and checks everything again under it. */
async function lockAndRecheck(
  gate: PersonalDataGate,
  leaving: Disclosure,
  onLost: () => void,
): Promise<PrivacyLockHandle> {
  const until = performance.now() + waitMs;
  for (let wait = pollMs.first; ; wait = Math.min(wait * 2, pollMs.most)) {
    const held = await tryLock(gate, leaving, onLost);
    if (held) return held;
    if (performance.now() + wait > until)
      refuse('service_unavailable', 'The profile’s privacy is being switched. Try again in some seconds.');
    await sleep(wait);
  }
}

/** Undefined while a privacy switch runs or waits: later sends must not overtake it. */
async function tryLock(
  { postgres }: PersonalDataGate,
  { workspaceId, profileId, recheck }: Disclosure,
  onLost: () => void,
): Promise<PrivacyLockHandle | undefined> {
  const ids = [workspaceId, profileId];
  let held: PrivacyLockHandle | undefined;
  try {
    await postgres.forProfile(profileId).transaction(async (tx) => {
      held?.release();
      held = (await isUnlocked(tx, ids)) ? await postgres.privacyLocks.share(ids, onLost) : undefined;
      if (held) await recheck(tx);
    });
    return held;
  } catch (error) {
    held?.release();
    throw error;
  }
}

/** Logs who received personal data, or was refused. Without this entry nothing is sent. */
export async function recordAccess(
  { postgres }: PersonalDataGate,
  { profileId, workspaceId, actor, operation, people, requestId, now }: Omit<Disclosure, 'recheck'>,
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
