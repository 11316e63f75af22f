import { attempt } from './attempt.ts';
import { hasAgreed } from './consent.ts';
import type { Batch, Queue } from './queue.ts';
import { impossibleDelayMs, isFinal, retryDelayMs } from './retry.ts';
import { read, remove, write } from './storage.ts';

interface SenderOptions {
  readonly endpoint: string;
  readonly key: string;
  readonly queue: Queue;
  readonly clientId: () => string;
  readonly isAllowed: () => boolean;
  /** Moves visits from memory into the queue. */
  readonly settle: () => void;
}

export interface Sender {
  /** Sends within a second, together with later visits; at once if a batch is full. */
  soon(): void;
  /** Sends at once, unless the collector asked to wait. */
  now(): void;
  /** Sends at once, because the network is back and the wait no longer applies. */
  whenOnline(): void;
  /** Sends with a beacon, because the page may unload. */
  beacon(): void;
}

const batchingMs = 1_000;
const timeoutMs = 15_000;

/** Sends the queued visits. A visit leaves the queue only when the collector has confirmed it. */
export function createSender({ endpoint, key, queue, clientId, isAllowed, settle }: SenderOptions): Sender {
  // Stored on the device like the queue, so that the next page and other tabs also wait.
  const waitName = `wait_${key}`;
  const beaconed = new Set<string>();
  let inFlight: ReadonlySet<string> = new Set();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  function schedule(delayMs?: number): void {
    clearTimeout(timer);
    timer = delayMs === undefined ? undefined : setTimeout(() => attempt(now), delayMs);
  }

  function now(): void {
    schedule();
    settle();
    if (!isAllowed() || inFlight.size) return;
    const waitMs = Number(read(waitName)) - Date.now();
    if (waitMs > 0 && waitMs < impossibleDelayMs) {
      schedule(waitMs);
      return;
    }
    const batch = queue.batch(inFlight);
    if (!batch.text) return;
    inFlight = new Set(batch.names);
    post(endpoint, buildBody(batch)).then(([status, retryAfter]) => {
      inFlight = new Set();
      attempt(() => settleBatch(batch, status, retryAfter));
    });
  }

  function settleBatch(batch: Batch, status: number, retryAfter: string | null): void {
    if (isFinal(status)) {
      for (const name of batch.names) remove(name);
      remove(waitName);
      failures = 0;
      schedule(0);
    } else if (isAllowed()) {
      const delayMs = retryDelayMs(failures, retryAfter, Math.random());
      failures += 1;
      write(waitName, String(Date.now() + delayMs));
      schedule(delayMs);
    }
  }

  /**
   * A beacon outlives its page but returns no result. So the visits stay in the queue and are sent again from the next page with
   * the same ids, which the server deduplicates.
   */
  function beacon(): void {
    schedule();
    settle();
    if (!isAllowed()) return;
    for (;;) {
      const batch = queue.batch(new Set([...inFlight, ...beaconed]));
      if (!batch.text) return;
      if (!attempt(() => navigator.sendBeacon(endpoint, buildBody(batch)))) {
        now();
        return;
      }
      for (const name of batch.names) beaconed.add(name);
    }
  }

  function buildBody({ text }: Batch): string {
    return `{"key":${JSON.stringify(key)},"client_id":"${clientId()}","consent":${hasAgreed()},"visits":[${text}]}`;
  }

  return {
    soon() {
      if (queue.isBatchFull()) now();
      else if (!timer) schedule(batchingMs);
    },
    now,
    whenOnline() {
      remove(waitName);
      now();
    },
    beacon,
  };
}

/** Returns status and Retry-After; status 0 if no response arrived. A plain text body avoids a CORS preflight request. */
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
