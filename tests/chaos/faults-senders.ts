import { setTimeout as sleep } from 'node:timers/promises';
import { browserVisit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import type { FaultsScene } from './faults-scene.ts';
import { until } from './faults-scene.ts';

/** Two hours ago: within what is believed of a visit or an outcome, though our clock is an hour off either way. */
const backMs = 2 * 3_600_000;
const mostUnderWay = 40;

interface Answered {
  readonly status: number;
  readonly fault?: string;
  readonly words?: string;
}

/** Whom they send to. */
export type Receiver = Pick<FaultsScene, 'post' | 'apiUrl' | 'headers'>;

export interface SenderOptions {
  readonly perSecond: number;
  readonly perRequest: number;
}

/**
 * Sends requests at a steady rate, and each again, byte for byte, until it is acknowledged. What is said in a 503 or not at all is sent again; all
 * else that is no yes is remembered as what must not happen.
 */
abstract class Sender {
  /** What was acknowledged. */
  acknowledged = 0;
  refused = 0;
  readonly strange: Record<string, number> = {};
  /** What those that were not taken were told, and meanwhile what, by how often. */
  readonly refusals: Record<string, number> = {};
  /** The fault that is met just now. */
  meanwhile = 'nothing is wrong';
  readonly #scene: Receiver;
  readonly #options: SenderOptions;
  readonly #underWay = new Map<Promise<void>, number>();
  /** What was last said to those that were not taken, by how often. */
  readonly #said = new Map<string, number>();
  #silenceMs = 0;
  #heardAt = performance.now();
  #isStopped = false;
  #loop: Promise<void> | undefined;

  constructor(scene: Receiver, options: SenderOptions) {
    this.#scene = scene;
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Resolves when all that was sent before now is acknowledged. */
  async caughtUp(timeoutMs: number): Promise<void> {
    const since = performance.now();
    const isOlder = (startedAt: number) => startedAt < since;
    const left = () => [...this.#underWay.values()].filter(isOlder).length;
    this.#said.clear();
    await until(`${this.constructor.name}: what was sent is acknowledged`, timeoutMs, () => left() === 0).catch(
      (error: Error) => {
        throw new Error(`${error.message} ${left()} are left; meanwhile: ${JSON.stringify([...this.#said])}`);
      },
    );
  }

  /** The longest time in which nothing was acknowledged since this was last asked. */
  takeSilenceMs(): number {
    this.#hear();
    const silence = this.#silenceMs;
    this.#silenceMs = 0;
    return silence;
  }

  #hear(): void {
    const now = performance.now();
    this.#silenceMs = Math.max(this.#silenceMs, now - this.#heardAt);
    this.#heardAt = now;
  }

  /** Sends no more, and waits for what is under way. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#loop;
    await this.caughtUp(timeoutMs);
  }

  protected abstract make(count: number): string;
  /** The status and what is strange about the answer; undefined when nobody answered. */
  protected abstract post(scene: Receiver, body: string): Promise<Answered | undefined>;
  protected abstract keep(body: string): void;

  async #run(): Promise<void> {
    const { perSecond, perRequest } = this.#options;
    const startedAt = performance.now();
    for (let sent = 0; !this.#isStopped; sent += perRequest) {
      const earlyMs = startedAt + (sent / perSecond) * 1_000 - performance.now();
      if (earlyMs > 0) await sleep(earlyMs);
      // Held up, it must not bury the machine afterwards: more at once would only wait for each other, and that is no fault of an engine.
      while (this.#underWay.size >= mostUnderWay && !this.#isStopped) await sleep(20);
      const one: Promise<void> = this.#deliver(this.make(perRequest)).finally(() => this.#underWay.delete(one));
      this.#underWay.set(one, performance.now());
    }
  }

  async #deliver(body: string): Promise<void> {
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const answer = await this.post(this.#scene, body);
      if (answer && answer.status < 300 && !answer.fault) {
        this.acknowledged += this.#options.perRequest;
        this.#hear();
        this.keep(body);
        return;
      }
      this.refused += 1;
      const said = answer ? `${answer.status} ${answer.words ?? ''}` : 'nothing';
      this.#said.set(said, (this.#said.get(said) ?? 0) + 1);
      const refusal = `${answer?.status ?? 'nothing'} while ${this.meanwhile}`;
      this.refusals[refusal] = (this.refusals[refusal] ?? 0) + 1;
      if (answer && (answer.fault || ![429, 503].includes(answer.status))) {
        const what = `${answer.fault ?? answer.status} while ${this.meanwhile}`;
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
    const at = new Date(Date.now() - backMs);
    return JSON.stringify({ key: this.#key, client_id, visits: Array.from({ length: count }, () => browserVisit(at)) });
  }

  protected async post(scene: Receiver, body: string) {
    const status = await scene.post(body);
    return status === undefined ? undefined : { status };
  }

  protected keep(body: string): void {
    for (const { id } of JSON.parse(body).visits) this.visits.add(id);
  }
}

export class OutcomeSender extends Sender {
  /** When each that was acknowledged happened, by its key. */
  readonly outcomes = new Map<string, string>();

  protected make(count: number): string {
    const occurred_at = new Date(Date.now() - backMs).toISOString();
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
      const answer = await fetch(`${apiUrl}/api/v1/events`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(45_000),
      });
      const text = await answer.text();
      if (answer.status !== 202) {
        const isSaidWhen = answer.status !== 503 || answer.headers.has('retry-after');
        return {
          status: answer.status,
          words: JSON.parse(text).error?.message,
          ...(!isSaidWhen && { fault: '503 without Retry-After' }),
        };
      }
      const { rejected } = JSON.parse(text).data.summary;
      return { status: 202, ...(rejected > 0 && { fault: 'an outcome was rejected' }) };
    } catch {
      return undefined;
    }
  }

  protected keep(body: string): void {
    for (const { idempotency_key, occurred_at } of JSON.parse(body).events)
      this.outcomes.set(idempotency_key, occurred_at);
  }
}
