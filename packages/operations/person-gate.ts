import { setTimeout as sleep } from 'node:timers/promises';
import { type HeldLocks, isUnlocked, type Postgres, type Tx } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';
import { FairScheduler } from './fair-scheduler.ts';
import { Refusal, refuse } from './refusal.ts';

/** Bytes that do not leave in this time are not sent at all: a switch of privacy waits for them. */
const holdMs = 5_000;
/** Behind a switch that itself waits for somebody's last bytes, whoever comes later waits longer than that. */
const waitMs = 2 * holdMs;
/** How often whoever waits behind a switch looks whether it is over. */
const lookMs = { first: 5, most: 100 };

/** The one way out for personal data of a process. */
export interface PersonGate {
  readonly postgres: Postgres;
  readonly scheduler: FairScheduler;
}

export const createPersonGate = (postgres: Postgres): PersonGate => ({
  postgres,
  scheduler: new FairScheduler({
    perClient: 2,
    perTenant: 8,
    total: 64,
    waitMs,
    timeoutMessage: 'Earlier responses to this client are still being sent. Read them, then retry in a few seconds.',
  }),
});

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

/** Sends it: done when the bytes have left, and once the signal is aborted no further byte may leave. */
export type Send = (cut: AbortSignal) => Promise<void> | void;

/**
 * The one place that personal data passes on its way out. First the access is written down, or nothing is sent. Then the
 * privacy lock is held, shared, while `recheck` looks once more at credential, grant and privacy and until the bytes have left:
 * a switch to healthcare takes the lock alone, so that nothing leaves after it has committed. While bytes leave, no connection
 * of the pool is held; and only so many leave at once for the same receiver and tenant.
 */
export async function leaveWithPeople(gate: PersonGate, leaving: Leaving, send: Send): Promise<void> {
  await inTurn(gate, leaving, () => leaveInTurn(gate, leaving, send));
}

/** Makes what is to leave when it can leave, so that nothing piles up behind a slow reader. */
export function inTurn<A>(
  { scheduler }: PersonGate,
  { actor, workspaceId }: Pick<Leaving, 'actor' | 'workspaceId'>,
  work: () => Promise<A>,
): Promise<A> {
  return scheduler.run(`${actor.kind} ${actor.id}`, workspaceId, work);
}

/** `leaveWithPeople` for what is made in its turn. */
export async function leaveInTurn(gate: PersonGate, leaving: Leaving, send: Send): Promise<void> {
  const cut = new AbortController();
  await recordAccess(gate, leaving, 'served');
  const held = await holdOrRecord(gate, leaving, () => cut.abort());
  try {
    await sendUntilCut(send, cut);
  } finally {
    held.release();
  }
}

/** Sends while the lock is held: not once it is lost, and not for ever. */
async function sendUntilCut(send: Send, cut: AbortController): Promise<void> {
  const { signal } = cut;
  if (signal.aborted) throw cutOff();
  const timer = setTimeout(() => cut.abort(), holdMs);
  const isCut = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(cutOff()));
  });
  try {
    await Promise.race([send(signal), isCut]);
  } finally {
    clearTimeout(timer);
  }
}

const cutOff = () => new Refusal('service_unavailable', 'It did not leave in time and was cut off.');

async function holdOrRecord(gate: PersonGate, leaving: Leaving, onLost: () => void): Promise<HeldLocks> {
  try {
    return await holdBehindSwitches(gate, leaving, onLost);
  } catch (error) {
    await recordAccess(gate, leaving, 'refused');
    throw error;
  }
}

/** The lock, held, and everything looked at once more under it. */
async function holdBehindSwitches(gate: PersonGate, leaving: Leaving, onLost: () => void): Promise<HeldLocks> {
  const until = performance.now() + waitMs;
  for (let wait = lookMs.first; ; wait = Math.min(wait * 2, lookMs.most)) {
    const held = await tryToHold(gate, leaving, onLost);
    if (held) return held;
    if (performance.now() + wait > until)
      refuse('service_unavailable', 'The profile’s privacy is being switched. Try again in some seconds.');
    await sleep(wait);
  }
}

/** Undefined while a switch is at work, or waits: whoever comes after it may not go before it. */
async function tryToHold(
  { postgres }: PersonGate,
  { workspaceId, profileId, recheck }: Leaving,
  onLost: () => void,
): Promise<HeldLocks | undefined> {
  const ids = [workspaceId, profileId];
  let held: HeldLocks | undefined;
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
