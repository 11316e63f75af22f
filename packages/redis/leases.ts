import type { SharedLimiter, Verdict } from './rate-limit.ts';
import { emptyFrom, verdictOf } from './rate-limit.ts';

/** How long the last answer of Redis about a bucket is used without asking again. */
const leaseMs = 100;
/** Use below this share of a limit is not reported: most addresses send little, and there are many of them. */
const unreportedShare = 0.05;
const maxBuckets = 100_000;
const windowUs = 60_000_000;

/** What this process knows about one limit. Times are in microseconds of its own clock. */
interface Bucket {
  readonly name: string;
  readonly limit: number;
  emptyAt: number;
  /** Taken here and not reported to Redis yet. */
  unreported: number;
  /** After it exceeded its unreported share, every use is reported. */
  isShared: boolean;
  isDue: boolean;
}

export interface LeasesOptions {
  readonly limiter: Pick<SharedLimiter, 'takeMany'>;
  readonly nowMs: () => number;
  /** Called while Redis is unavailable and each process limits on its own. */
  readonly onFallback?: (error: unknown) => void;
}

/**
 * Per-minute limits that are decided at once from local state and reported to Redis afterwards, so no request waits. All processes together
 * may exceed a limit by a twentieth each, and by what arrives within a tenth of a second.
 */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** `cost`: the share of the limit that this request takes, all or nothing. */
  take(name: string, limit: number, cost = 1): Verdict {
    const now = this.#options.nowMs() * 1_000;
    const bucket = this.#getBucket(name, limit, now);
    const emptyAt = emptyFrom(bucket.emptyAt, now, windowUs);
    const later = emptyAt + (windowUs / limit) * cost;
    const allowed = later - now <= windowUs;
    if (allowed) this.#use(bucket, later, cost);
    return verdictOf(allowed, now, allowed ? later : emptyAt, limit, cost);
  }

  /** Records use that already happened. If it exceeds what is left, the limit is fully used. */
  spend(name: string, limit: number, cost: number): void {
    const now = this.#options.nowMs() * 1_000;
    const bucket = this.#getBucket(name, limit, now);
    const later = emptyFrom(bucket.emptyAt, now, windowUs) + (windowUs / limit) * cost;
    this.#use(bucket, Math.min(later, now + windowUs), cost);
  }

  #use(bucket: Bucket, emptyAt: number, cost: number): void {
    bucket.emptyAt = emptyAt;
    bucket.unreported += cost;
    this.#scheduleReport(bucket);
  }

  #getBucket(name: string, limit: number, now: number): Bucket {
    const key = `${name}:${limit}`;
    const existing = this.#buckets.get(key);
    // Re-inserted, so that the first key of the map is the least recently used.
    if (existing) this.#buckets.delete(key);
    const bucket = existing ?? { name, limit, emptyAt: now, unreported: 0, isShared: false, isDue: false };
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > maxBuckets) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return bucket;
  }

  /** Reports at once the first time, so that one burst cannot use the full limit of every process; after that once per lease. */
  #scheduleReport(bucket: Bucket): void {
    if (bucket.isDue) return;
    if (bucket.isShared) setTimeout(() => void this.#report(bucket), leaseMs).unref();
    else if (bucket.unreported >= bucket.limit * unreportedShare) setImmediate(() => void this.#report(bucket));
    else return;
    bucket.isShared = true;
    bucket.isDue = true;
  }

  async #report(bucket: Bucket): Promise<void> {
    const { name, limit, unreported } = bucket;
    bucket.unreported = 0;
    bucket.isDue = false;
    try {
      const { taken, now, emptyAt } = await this.#options.limiter.takeMany(name, limit, unreported);
      // What exceeds the limit was already allowed here and is not charged later.
      const leftUs = emptyAt + (taken * windowUs) / limit - now;
      const own = this.#options.nowMs() * 1_000;
      bucket.emptyAt = Math.max(emptyFrom(bucket.emptyAt, own, windowUs), own + leftUs);
    } catch (error) {
      this.#options.onFallback?.(error);
    }
  }
}
