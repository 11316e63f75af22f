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
  /** When the question left, and when the answer was there. */
  readonly sentAt: number;
  readonly askedAt: number;
}

/** Younger than this an answer is used as it is; then it is still used while a new one is fetched behind the request's back; */
const freshMs = 5_000;
/** and from this age on the request waits for the new one. */
const staleMs = 30_000;
/** While PostgreSQL is away, what is known serves this long: visits go on coming in, and a revoked key does not live for ever. */
const lastsMs = 60 * 60_000;
/** Where changes are told, an answer is used as it is for so long: nothing is forgotten for good because a telling was lost. */
const toldMs = 10 * 60_000;
const patienceMs = 2_000;
const mostInOneQuestion = 1_000;

/** The channel on which the ledger tells whose tracking has changed, by the profile. */
export const trackingChannel = 'tributary_tracking';

/** Keys by their text, asked for in batches and remembered: for seconds, or while changes are told until one is. */
export class TrackingKeys {
  readonly #lookUps: LookUps;
  readonly #nowMs: () => number;
  readonly #known = new LRUCache<string, Remembered>({ max: 200_000 });
  // Apart from the others: made-up keys must not push out real ones.
  readonly #missing = new LRUCache<string, Remembered>({ max: 10_000 });
  /** When it was last told that a profile has changed. What is pushed out of here counts as a change of all. */
  readonly #changed = new LRUCache<string, number>({
    max: 100_000,
    dispose: (at, _profileId, reason) => {
      if (reason === 'evict') this.#allChangedAt = Math.max(this.#allChangedAt, at);
    },
  });
  #allChangedAt = Number.NEGATIVE_INFINITY;
  #isTold = false;
  readonly #wanted = new Map<string, PromiseWithResolvers<TrackingKey | undefined>>();
  #isAsking = false;

  constructor(lookUps: LookUps, nowMs: () => number = performance.now.bind(performance)) {
    this.#lookUps = lookUps;
    this.#nowMs = nowMs;
  }

  /** From now on every change is told. Of what was known before, some may have been missed. */
  hearing(): void {
    this.#allChangedAt = this.#nowMs();
    this.#isTold = true;
  }

  notHearing(): void {
    this.#isTold = false;
  }

  changed(profileId: string): void {
    this.#changed.set(profileId, this.#nowMs());
  }

  /** Whether nothing was told since the question left: what was told while it was under way may not be in the answer. */
  #stands({ found, sentAt }: Remembered, age: number): boolean {
    if (!this.#isTold || !found || age >= toldMs) return false;
    return sentAt > Math.max(this.#allChangedAt, this.#changed.get(found.profileId) ?? Number.NEGATIVE_INFINITY);
  }

  /** At once where it can, because most can. */
  find(key: string): TrackingKey | undefined | Promise<TrackingKey | undefined> {
    const remembered = this.#known.get(key) ?? this.#missing.get(key);
    const age = remembered ? this.#nowMs() - remembered.askedAt : Number.POSITIVE_INFINITY;
    if (remembered && (age < freshMs || this.#stands(remembered, age))) return remembered.found;
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
      const sentAt = this.#nowMs();
      try {
        const found = await findTrackingKeys(this.#lookUps, keys);
        const askedAt = this.#nowMs();
        for (const [key, wanted] of asked) {
          const one = found.get(key);
          this.#known.delete(key);
          (one ? this.#known : this.#missing).set(key, { found: one, sentAt, askedAt });
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
