import type { SharedLimiter, Verdict } from './rate-limit.ts';
import { emptyFrom, verdictOf } from './rate-limit.ts';

/** How long what Redis said of a bucket is used without asking again. */
const leaseMs = 100;
/** Less than this part of an allowance is nobody else's business: most addresses send a little, and there are many of them. */
const ownShare = 0.05;
const mostBuckets = 100_000;
const windowUs = 60_000_000;

/** What this process knows of one allowance. Times are in microseconds of its own clock. */
interface Bucket {
  readonly name: string;
  readonly limit: number;
  emptyAt: number;
  /** Taken here, and not told yet. */
  untold: number;
  /** Once it has taken its own share, it is told whenever it was used. */
  isShared: boolean;
  isDue: boolean;
}

export interface LeasesOptions {
  readonly limiter: Pick<SharedLimiter, 'takeMany'>;
  readonly nowMs: () => number;
  /** Redis was away, and each process goes on by itself. */
  readonly onFallback?: (error: unknown) => void;
}

/**
 * Allowances a minute that are decided at once, by what this process knows, and told to Redis afterwards: a request waits for nobody.
 * All processes together may pass an allowance by a twentieth each, and by what comes in within a tenth of a second.
 */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** `cost`: units of the limit that this call uses, all or nothing. */
  take(name: string, limit: number, cost = 1): Verdict {
    const now = this.#options.nowMs() * 1_000;
    const bucket = this.#bucketOf(name, limit, now);
    const emptyAt = emptyFrom(bucket.emptyAt, now, windowUs);
    const later = emptyAt + (windowUs / limit) * cost;
    const allowed = later - now <= windowUs;
    if (allowed) this.#use(bucket, later, cost);
    return verdictOf(allowed, now, allowed ? later : emptyAt, limit, cost);
  }

  /** Charges units that were already used. An overdraft is capped at the whole limit. */
  spend(name: string, limit: number, cost: number): void {
    const now = this.#options.nowMs() * 1_000;
    const bucket = this.#bucketOf(name, limit, now);
    const later = emptyFrom(bucket.emptyAt, now, windowUs) + (windowUs / limit) * cost;
    this.#use(bucket, Math.min(later, now + windowUs), cost);
  }

  #use(bucket: Bucket, emptyAt: number, cost: number): void {
    bucket.emptyAt = emptyAt;
    bucket.untold += cost;
    this.#tellSoon(bucket);
  }

  #bucketOf(name: string, limit: number, now: number): Bucket {
    const key = `${name}:${limit}`;
    const known = this.#buckets.get(key);
    // The first key of the map is the one unused for longest.
    if (known) this.#buckets.delete(key);
    const bucket = known ?? { name, limit, emptyAt: now, untold: 0, isShared: false, isDue: false };
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > mostBuckets) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return bucket;
  }

  /** The first time at once, so that nobody takes the whole allowance of every process in one burst; then a lease later. */
  #tellSoon(bucket: Bucket): void {
    if (bucket.isDue) return;
    if (bucket.isShared) setTimeout(() => void this.#tell(bucket), leaseMs).unref();
    else if (bucket.untold >= bucket.limit * ownShare) setImmediate(() => void this.#tell(bucket));
    else return;
    bucket.isShared = true;
    bucket.isDue = true;
  }

  async #tell(bucket: Bucket): Promise<void> {
    const { name, limit, untold } = bucket;
    bucket.untold = 0;
    bucket.isDue = false;
    try {
      const { taken, now, emptyAt } = await this.#options.limiter.takeMany(name, limit, untold);
      // What could not be taken any more was allowed here already; it is not owed.
      const leftUs = emptyAt + (taken * windowUs) / limit - now;
      const own = this.#options.nowMs() * 1_000;
      bucket.emptyAt = Math.max(emptyFrom(bucket.emptyAt, own, windowUs), own + leftUs);
    } catch (error) {
      this.#options.onFallback?.(error);
    }
  }
}
