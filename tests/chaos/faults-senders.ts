import { setTimeout as sleep } from 'node:timers/promises';
import { browserVisit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import type { FaultsScene } from './faults-scene.ts';
import { until } from './faults-scene.ts';

/** Two hours ago: within the accepted age of visits and outcomes, even while our clock is an hour off in either direction. */
const ageMs = 2 * 3_600_000;
const maxInFlight = 40;

interface SendResult {
  readonly status: number;
  readonly fault?: string;
  readonly message?: string;
}

/** The endpoints and credentials that requests are sent to. */
export type Receiver = Pick<FaultsScene, 'post' | 'apiUrl' | 'headers'>;

export interface SenderOptions {
  readonly perSecond: number;
  readonly perRequest: number;
}

/**
 * Sends requests at a steady rate and retries each, byte for byte, until it is acknowledged. A 429, a 503 or no response is expected during a fault;
 * every other failure is recorded in `strange`.
 */
abstract class Sender {
  /** Number of acknowledged visits or outcomes. */
  acknowledged = 0;
  refused = 0;
  readonly strange: Record<string, number> = {};
  /** Failed requests, counted by status and by the fault at that time. */
  readonly refusals: Record<string, number> = {};
  /** The current fault. */
  meanwhile = 'nothing is wrong';
  readonly #scene: Receiver;
  readonly #options: SenderOptions;
  readonly #inFlight = new Map<Promise<void>, number>();
  /** Responses to failed requests since the last `caughtUp`, with their counts. */
  readonly #failures = new Map<string, number>();
  #longestGapMs = 0;
  #acknowledgedAt = performance.now();
  #isStopped = false;
  #loop: Promise<void> | undefined;

  constructor(scene: Receiver, options: SenderOptions) {
    this.#scene = scene;
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Resolves when all requests that were sent before this call are acknowledged. */
  async caughtUp(timeoutMs: number): Promise<void> {
    const since = performance.now();
    const isOlder = (startedAt: number) => startedAt < since;
    const countOlder = () => [...this.#inFlight.values()].filter(isOlder).length;
    this.#failures.clear();
    await until(
      `${this.constructor.name}: all sent requests are acknowledged`,
      timeoutMs,
      () => countOlder() === 0,
    ).catch((error: Error) => {
      throw new Error(`${error.message} ${countOlder()} are left; meanwhile: ${JSON.stringify([...this.#failures])}`);
    });
  }

  /** Returns the longest time without an acknowledgement since the previous call. */
  takeLongestGapMs(): number {
    this.#noteAcknowledgement();
    const gapMs = this.#longestGapMs;
    this.#longestGapMs = 0;
    return gapMs;
  }

  #noteAcknowledgement(): void {
    const now = performance.now();
    this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
  }

  /** Stops sending and waits for the requests in flight. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#loop;
    await this.caughtUp(timeoutMs);
  }

  protected abstract make(count: number): string;
  /** Resolves to the status and what is wrong with the response, or undefined without a response. */
  protected abstract post(scene: Receiver, body: string): Promise<SendResult | undefined>;
  protected abstract recordSent(body: string): void;

  async #run(): Promise<void> {
    const { perSecond, perRequest } = this.#options;
    const startedAt = performance.now();
    for (let sent = 0; !this.#isStopped; sent += perRequest) {
      const earlyMs = startedAt + (sent / perSecond) * 1_000 - performance.now();
      if (earlyMs > 0) await sleep(earlyMs);
      // Limits the backlog after an outage. More concurrent requests would only wait for each other, without any engine being at fault.
      while (this.#inFlight.size >= maxInFlight && !this.#isStopped) await sleep(20);
      const delivery: Promise<void> = this.#deliver(this.make(perRequest)).finally(() =>
        this.#inFlight.delete(delivery),
      );
      this.#inFlight.set(delivery, performance.now());
    }
  }

  async #deliver(body: string): Promise<void> {
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const result = await this.post(this.#scene, body);
      if (result && result.status < 300 && !result.fault) {
        this.acknowledged += this.#options.perRequest;
        this.#noteAcknowledgement();
        this.recordSent(body);
        return;
      }
      this.refused += 1;
      const failure = result ? `${result.status} ${result.message ?? ''}` : 'nothing';
      this.#failures.set(failure, (this.#failures.get(failure) ?? 0) + 1);
      const refusal = `${result?.status ?? 'nothing'} while ${this.meanwhile}`;
      this.refusals[refusal] = (this.refusals[refusal] ?? 0) + 1;
      if (result && (result.fault || ![429, 503].includes(result.status))) {
        const what = `${result.fault ?? result.status} while ${this.meanwhile}`;
        this.strange[what] = (this.strange[what] ?? 0) + 1;
      }
      await sleep(Math.min(100 * 2 ** attempt, 1_000) * (0.5 + Math.random()));
    }
  }
}

export class VisitSender extends Sender {
  readonly visits = new Set<string>();
  readonly #clients = Array.from({ length: 200 }, () => uuid());
  #key = '';

  withKey(key: string): this {
    this.#key = key;
    return this;
  }

  protected make(count: number): string {
    const client_id = this.#clients[Math.floor(Math.random() * this.#clients.length)];
    const at = new Date(Date.now() - ageMs);
    return JSON.stringify({ key: this.#key, client_id, visits: Array.from({ length: count }, () => browserVisit(at)) });
  }

  protected async post(scene: Receiver, body: string) {
    const status = await scene.post(body);
    return status === undefined ? undefined : { status };
  }

  protected recordSent(body: string): void {
    for (const { id } of JSON.parse(body).visits) this.visits.add(id);
  }
}

export class OutcomeSender extends Sender {
  /** The `occurred_at` of each acknowledged outcome, by its idempotency key. */
  readonly outcomes = new Map<string, string>();

  protected make(count: number): string {
    const occurred_at = new Date(Date.now() - ageMs).toISOString();
    const events = Array.from({ length: count }, () => ({
      event_name: 'payment_received',
      idempotency_key: uuid(),
      occurred_at,
      properties: { value: '1.00', currency: 'USD' },
      user_traits: { external_id: `c-${Math.floor(Math.random() * 500)}` },
    }));
    return JSON.stringify({ events });
  }

  protected async post({ apiUrl, headers }: Receiver, body: string) {
    try {
      const response = await fetch(`${apiUrl}/api/v1/events`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(45_000),
      });
      const text = await response.text();
      if (response.status !== 202) {
        const hasRetryAfter = response.status !== 503 || response.headers.has('retry-after');
        return {
          status: response.status,
          message: JSON.parse(text).error?.message,
          ...(!hasRetryAfter && { fault: '503 without Retry-After' }),
        };
      }
      const { rejected } = JSON.parse(text).data.summary;
      return { status: 202, ...(rejected > 0 && { fault: 'an outcome was rejected' }) };
    } catch {
      return undefined;
    }
  }

  protected recordSent(body: string): void {
    for (const { idempotency_key, occurred_at } of JSON.parse(body).events)
      this.outcomes.set(idempotency_key, occurred_at);
  }
}
