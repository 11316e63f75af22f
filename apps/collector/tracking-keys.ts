import { findTrackingKeys, type TrackingKey } from '@tributary/domain/traffic/ingestion/intake.ts';
import type { LookUps } from '@tributary/postgres';
import { LRUCache } from 'lru-cache';

/** PostgreSQL does not answer, and no cached key is recent enough. */
export class KeysAway extends Error {
  override readonly name = 'KeysAway';
}

interface CachedKey {
  /** Undefined: the key does not exist or was revoked. */
  readonly found: TrackingKey | undefined;
  /** When the query was sent, and when its answer arrived. */
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** A younger answer is used directly; an older one is used while a refresh runs in the background; */
const freshMs = 5_000;
/** from this age on the request waits for the refresh. */
const staleMs = 30_000;
/**
 * While PostgreSQL is down, cached keys are valid this long: visits continue to be accepted, but a revoked key does not live
 * forever.
 */
const outageMs = 60 * 60_000;
/**
 * With change notifications, a cached answer is used this long: it must expire eventually, because a notification may have been
 * lost.
 */
const notifiedMs = 10 * 60_000;
const queryTimeoutMs = 2_000;
const maxBatch = 1_000;

/** The channel on which the ledger announces the profiles whose tracking settings have changed. */
export const trackingChannel = 'tributary_tracking';

/**
 * A cache of tracking keys by their text, queried in batches. Entries are valid for seconds, or with change notifications until
 * the profile changes.
 */
export class TrackingKeys {
  readonly #lookUps: LookUps;
  readonly #nowMs: () => number;
  readonly #found = new LRUCache<string, CachedKey>({ max: 200_000 });
  // Separate from the others, so that made-up keys cannot evict real ones.
  readonly #missing = new LRUCache<string, CachedKey>({ max: 10_000 });
  /** When a profile was last announced as changed. An evicted entry counts as a change of all profiles. */
  readonly #changed = new LRUCache<string, number>({
    max: 100_000,
    dispose: (at, _profileId, reason) => {
      if (reason === 'evict') this.#allChangedAt = Math.max(this.#allChangedAt, at);
    },
  });
  #allChangedAt = Number.NEGATIVE_INFINITY;
  #isNotified = false;
  readonly #wanted = new Map<string, PromiseWithResolvers<TrackingKey | undefined>>();
  #isQuerying = false;

  constructor(lookUps: LookUps, nowMs: () => number = performance.now.bind(performance)) {
    this.#lookUps = lookUps;
    this.#nowMs = nowMs;
  }

  /** Notifications are connected from now on. Earlier entries may have missed some. */
  hearing(): void {
    this.#allChangedAt = this.#nowMs();
    this.#isNotified = true;
  }

  notHearing(): void {
    this.#isNotified = false;
  }

  changed(profileId: string): void {
    this.#changed.set(profileId, this.#nowMs());
  }

  /**
   * Whether the entry is still valid: no change was announced since its query was sent. A later change may be missing from the
   * answer.
   */
  #isCurrent({ found, sentAt }: CachedKey, age: number): boolean {
    if (!this.#isNotified || !found || age >= notifiedMs) return false;
    return sentAt > Math.max(this.#allChangedAt, this.#changed.get(found.profileId) ?? Number.NEGATIVE_INFINITY);
  }

  /** Synchronous if the key is cached, because most are. */
  find(key: string): TrackingKey | undefined | Promise<TrackingKey | undefined> {
    const cached = this.#found.get(key) ?? this.#missing.get(key);
    const age = cached ? this.#nowMs() - cached.answeredAt : Number.POSITIVE_INFINITY;
    if (cached && (age < freshMs || this.#isCurrent(cached, age))) return cached.found;
    const answer = this.#query(key);
    if (cached && age < staleMs) {
      answer.catch(() => {});
      return cached.found;
    }
    return this.#waitFor(answer, cached, age);
  }

  async #waitFor(
    answer: Promise<TrackingKey | undefined>,
    cached: CachedKey | undefined,
    age: number,
  ): Promise<TrackingKey | undefined> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new KeysAway('The keys took too long.')), queryTimeoutMs);
    try {
      return await Promise.race([answer, late.promise]);
    } catch (error) {
      if (cached && age < outageMs) return cached.found;
      throw new KeysAway('Whose key this is cannot be found out now.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  #query(key: string): Promise<TrackingKey | undefined> {
    const batch = this.#wanted.get(key);
    if (batch) return batch.promise;
    const wanted = Promise.withResolvers<TrackingKey | undefined>();
    this.#wanted.set(key, wanted);
    if (!this.#isQuerying) {
      this.#isQuerying = true;
      setImmediate(() => void this.#queryAll());
    }
    return wanted.promise;
  }

  /** Runs one query at a time; keys requested meanwhile are in the next one. */
  async #queryAll(): Promise<void> {
    while (this.#wanted.size > 0) {
      const batch = [...this.#wanted].slice(0, maxBatch);
      const keys = batch.map(([key]) => key);
      const sentAt = this.#nowMs();
      try {
        const found = await findTrackingKeys(this.#lookUps, keys);
        const answeredAt = this.#nowMs();
        for (const [key, wanted] of batch) {
          const one = found.get(key);
          this.#found.delete(key);
          (one ? this.#found : this.#missing).set(key, { found: one, sentAt, answeredAt });
          wanted.resolve(one);
        }
      } catch (error) {
        for (const [, wanted] of batch) wanted.reject(error);
      }
      for (const key of keys) this.#wanted.delete(key);
    }
    this.#isQuerying = false;
  }
}
