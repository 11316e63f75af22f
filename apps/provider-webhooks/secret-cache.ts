import { findWebhookSecrets, type SealedSecret } from '@tributary/domain/connections/intake.ts';
import type { LookUps } from '@tributary/postgres';
import type { Channel } from '@tributary/vocabulary';
import { LRUCache } from 'lru-cache';

/** PostgreSQL does not answer, and nothing young enough is remembered. */
export class SecretsAway extends Error {
  override readonly name = 'SecretsAway';
}

interface Remembered {
  readonly secrets: readonly SealedSecret[];
  readonly at: number;
}

/** Younger than this an answer is used as it is. */
const freshMs = 5_000;
/** A signature that an answer of this age refuses is compared again with a new one: the secret may have changed. */
export const recheckedMs = 1_000;
/** While PostgreSQL is away, what is remembered serves this long. The worker verifies each webhook again in any case. */
const lastsMs = 60 * 60_000;
const patienceMs = 2_000;
/** After a failure PostgreSQL is asked again so much later, by one request: the others must not hold their bodies in memory meanwhile. */
const pauseMs = 1_000;

/** Secrets of accounts as they are sealed, remembered for seconds, and for an hour while PostgreSQL is away. */
export class SecretCache {
  readonly #lookUps: LookUps;
  readonly #nowMs: () => number;
  readonly #known = new LRUCache<string, Remembered>({ max: 20_000 });
  // Apart from the others: accounts that somebody made up must not push out real ones.
  readonly #missing = new LRUCache<string, Remembered>({ max: 10_000 });
  readonly #asked = new Map<string, Promise<readonly SealedSecret[]>>();
  #askAgainAt = Number.NEGATIVE_INFINITY;

  constructor(lookUps: LookUps, nowMs: () => number = performance.now.bind(performance)) {
    this.#lookUps = lookUps;
    this.#nowMs = nowMs;
  }

  async find(channel: Channel, account: string, youngerThanMs = freshMs): Promise<readonly SealedSecret[]> {
    const name = `${channel}:${account}`;
    const remembered = this.#known.get(name) ?? this.#missing.get(name);
    const age = remembered ? this.#nowMs() - remembered.at : Number.POSITIVE_INFINITY;
    if (remembered && age < youngerThanMs) return remembered.secrets;
    const isAway = this.#askAgainAt > Number.NEGATIVE_INFINITY;
    if (this.#nowMs() >= this.#askAgainAt) {
      if (isAway) this.#askAgainAt = this.#nowMs() + patienceMs;
      try {
        return await this.#ask(name, channel, account);
      } catch (error) {
        this.#askAgainAt = this.#nowMs() + pauseMs;
        if (!remembered || age >= lastsMs) throw new SecretsAway('The secrets cannot be read now.', { cause: error });
      }
    }
    if (remembered && age < lastsMs) return remembered.secrets;
    throw new SecretsAway('The secrets cannot be read now.');
  }

  /** Requests of one account share a question. */
  #ask(name: string, channel: Channel, account: string): Promise<readonly SealedSecret[]> {
    const asked = this.#asked.get(name);
    if (asked) return asked;
    const answer = this.#answer(name, channel, account).finally(() => this.#asked.delete(name));
    this.#asked.set(name, answer);
    return answer;
  }

  async #answer(name: string, channel: Channel, account: string): Promise<readonly SealedSecret[]> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('PostgreSQL took too long.')), patienceMs);
    try {
      const secrets = await Promise.race([findWebhookSecrets(this.#lookUps, channel, account), late.promise]);
      this.#askAgainAt = Number.NEGATIVE_INFINITY;
      this.#known.delete(name);
      (secrets.length > 0 ? this.#known : this.#missing).set(name, { secrets, at: this.#nowMs() });
      return secrets;
    } finally {
      clearTimeout(timer);
    }
  }
}
