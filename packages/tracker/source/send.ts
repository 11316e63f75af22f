import { attempt } from './attempt.ts';
import { hasAgreed } from './consent.ts';
import type { Batch, Queue } from './queue.ts';
import { impossibleDelayMs, isFinal, retryDelayMs } from './retry.ts';
import { read, remove, write } from './storage.ts';

interface Parts {
  readonly endpoint: string;
  readonly key: string;
  readonly queue: Queue;
  readonly clientId: () => string;
  readonly isAllowed: () => boolean;
  /** Puts into the queue what is not there yet. */
  readonly settle: () => void;
}

export interface Sender {
  /** Within a second, together with what else happens until then; without delay when there is a batch. */
  soon(): void;
  /** Unless the collector asked to be left alone for a while. */
  now(): void;
  /** The network is back, and with it the reason to wait has gone. */
  whenOnline(): void;
  /** The page may be about to go. */
  beacon(): void;
}

const gatherMs = 1_000;
const timeoutMs = 15_000;

/** Empties the queue. A visit leaves it when the collector has answered for it, and not before. */
export function createSender({ endpoint, key, queue, clientId, isAllowed, settle }: Parts): Sender {
  // Kept on the device like the queue: neither the next page nor another tab knocks earlier.
  const waitName = `wait_${key}`;
  const beaconed = new Set<string>();
  let onTheWay: ReadonlySet<string> = new Set();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  function plan(delayMs?: number): void {
    clearTimeout(timer);
    timer = delayMs === undefined ? undefined : setTimeout(() => attempt(now), delayMs);
  }

  function now(): void {
    plan();
    settle();
    if (!isAllowed() || onTheWay.size) return;
    const waitMs = Number(read(waitName)) - Date.now();
    if (waitMs > 0 && waitMs < impossibleDelayMs) {
      plan(waitMs);
      return;
    }
    const batch = queue.batch(onTheWay);
    if (!batch.text) return;
    onTheWay = new Set(batch.names);
    post(endpoint, bodyOf(batch)).then(([status, retryAfter]) => {
      onTheWay = new Set();
      attempt(() => answered(batch, status, retryAfter));
    });
  }

  function answered(batch: Batch, status: number, retryAfter: string | null): void {
    if (isFinal(status)) {
      for (const name of batch.names) remove(name);
      remove(waitName);
      failures = 0;
      plan(0);
    } else if (isAllowed()) {
      const delayMs = retryDelayMs(failures, retryAfter, Math.random());
      failures += 1;
      write(waitName, String(Date.now() + delayMs));
      plan(delayMs);
    }
  }

  /**
   * A beacon outlives its page but tells nobody what came of it. So the visits stay in the queue and are sent again from the next page
   * under the same ids, which the server counts once.
   */
  function beacon(): void {
    plan();
    settle();
    if (!isAllowed()) return;
    for (;;) {
      const batch = queue.batch(new Set([...onTheWay, ...beaconed]));
      if (!batch.text) return;
      if (!attempt(() => navigator.sendBeacon(endpoint, bodyOf(batch)))) {
        now();
        return;
      }
      for (const name of batch.names) beaconed.add(name);
    }
  }

  function bodyOf({ text }: Batch): string {
    return `{"key":${JSON.stringify(key)},"client_id":"${clientId()}","consent":${hasAgreed()},"visits":[${text}]}`;
  }

  return {
    soon() {
      if (queue.isBatchFull()) now();
      else if (!timer) plan(gatherMs);
    },
    now,
    whenOnline() {
      remove(waitName);
      now();
    },
    beacon,
  };
}

/** Status and Retry-After; 0 when no answer came. Plain text goes to another origin without being announced by a request of its own. */
async function post(endpoint: string, body: string): Promise<[number, string | null]> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const { status, headers } = await fetch(endpoint, {
      method: 'POST',
      body,
      keepalive: true,
      credentials: 'omit',
      signal: abort.signal,
    });
    return [status, headers.get('retry-after')];
  } catch {
    return [0, null];
  } finally {
    clearTimeout(timer);
  }
}
