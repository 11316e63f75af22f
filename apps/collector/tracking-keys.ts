import { findTrackingKeys, type TrackingKey } from '@tributary/domain/ingestion/intake.ts';
import type { LookUps } from '@tributary/postgres';
import { LRUCache } from 'lru-cache';

/** PostgreSQL does not answer, and nothing young enough is remembered. */
export class KeysAway extends Error {
  override readonly name = 'KeysAway';
}

interface Remembered {
  /** Undefined: there is no such key, or it was revoked. */
  readonly found: TrackingKey | undefined;
  readonly askedAt: number;
}

/** Younger than this an answer is used as it is; then it is still used while a new one is fetched behind the request's back; */
const freshMs = 5_000;
/** and from this age on the request waits for the new one. */
const staleMs = 30_000;
/** While PostgreSQL is away, what is known serves this long: visits go on coming in, and a revoked key does not live for ever. */
const lastsMs = 60 * 60_000;
const patienceMs = 2_000;
const mostInOneQuestion = 1_000;

/** Keys by their text, remembered for seconds and asked for in batches. */
export class TrackingKeys {
  readonly #lookUps: LookUps;
  readonly #nowMs: () => number;
  readonly #known = new LRUCache<string, Remembered>({ max: 50_000 });
  // Apart from the others: made-up keys must not push out real ones.
  readonly #missing = new LRUCache<string, Remembered>({ max: 10_000 });
  readonly #wanted = new Map<string, PromiseWithResolvers<TrackingKey | undefined>>();
  #isAsking = false;

  constructor(lookUps: LookUps, nowMs: () => number = performance.now.bind(performance)) {
    this.#lookUps = lookUps;
    this.#nowMs = nowMs;
  }

  /** At once where it can, because most can. */
  find(key: string): TrackingKey | undefined | Promise<TrackingKey | undefined> {
    const remembered = this.#known.get(key) ?? this.#missing.get(key);
    const age = remembered ? this.#nowMs() - remembered.askedAt : Number.POSITIVE_INFINITY;
    if (remembered && age < freshMs) return remembered.found;
    const answer = this.#ask(key);
    if (remembered && age < staleMs) {
      answer.catch(() => {});
      return remembered.found;
    }
    return this.#within(answer, remembered, age);
  }

  async #within(
    answer: Promise<TrackingKey | undefined>,
    remembered: Remembered | undefined,
    age: number,
  ): Promise<TrackingKey | undefined> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new KeysAway('The keys took too long.')), patienceMs);
    try {
      return await Promise.race([answer, late.promise]);
    } catch (error) {
      if (remembered && age < lastsMs) return remembered.found;
      throw new KeysAway('Whose key this is cannot be found out now.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  #ask(key: string): Promise<TrackingKey | undefined> {
    const asked = this.#wanted.get(key);
    if (asked) return asked.promise;
    const wanted = Promise.withResolvers<TrackingKey | undefined>();
    this.#wanted.set(key, wanted);
    if (!this.#isAsking) {
      this.#isAsking = true;
      setImmediate(() => void this.#askAll());
    }
    return wanted.promise;
  }

  /** One question at a time; what is wanted meanwhile is in the next. */
  async #askAll(): Promise<void> {
    while (this.#wanted.size > 0) {
      const asked = [...this.#wanted].slice(0, mostInOneQuestion);
      const keys = asked.map(([key]) => key);
      try {
        const found = await findTrackingKeys(this.#lookUps, keys);
        const askedAt = this.#nowMs();
        for (const [key, wanted] of asked) {
          const one = found.get(key);
          this.#known.delete(key);
          (one ? this.#known : this.#missing).set(key, { found: one, askedAt });
          wanted.resolve(one);
        }
      } catch (error) {
        for (const [, wanted] of asked) wanted.reject(error);
      }
      for (const key of keys) this.#wanted.delete(key);
    }
    this.#isAsking = false;
  }
}
