import { type AddressGroup, hashValue, type RedisClient, widerFactor } from '@tributary/redis';
import { amountsOfAddress, type DailyAmounts, dailyAmounts } from '@tributary/rules/visits';
import { LRUCache } from 'lru-cache';

const kinds = ['visits', 'broken', 'bytes'] as const;
type Amounts = { -readonly [Kind in (typeof kinds)[number]]: number };

/** The usage of one subject (a profile, or an address within it) on a day. */
interface Count {
  readonly name: string;
  /** Whether the name contains an address, which is personal data: Redis gets only its hash. */
  readonly isAddress: boolean;
  readonly day: string;
  /** The total of all collectors, as of the last query to Redis. */
  readonly total: Amounts;
  /** The count of this collector since then. */
  readonly own: Amounts;
}

export type QuotaReason = 'daily_quota' | 'address_quota';

const flushEveryMs = 500;
const retentionSeconds = 2 * 24 * 60 * 60;
/** Shorter than until midnight, because the plan may be upgraded. */
const maxWaitSeconds = 3_600;
/** Addresses below these amounts are not reported to Redis: most send a few visits a day, and there are many. */
const reportedFrom: DailyAmounts = { visits: 50, broken: 20, bytes: 256 << 10 };

/** The remaining quota of a request's profile and address for today. */
export interface Account {
  /** The first quota that is insufficient; undefined if all suffice. */
  lacks(kind: keyof DailyAmounts, amount: number): QuotaReason | undefined;
  readonly brokenLeft: number;
  /** Counts the amounts; negative amounts undo a count whose visits were not stored. */
  add(amounts: DailyAmounts): void;
}

/**
 * The usage of profiles and addresses on this day (UTC), over all collectors. Each collector counts locally and synchronises with
 * Redis twice a second, so that no visit waits; a quota may be exceeded by what arrives in between.
 */
export class DailyUse {
  readonly #redis: RedisClient;
  readonly #now: () => Date;
  readonly #addressShare: number;
  readonly #profiles = new LRUCache<string, Count>({ max: 50_000 });
  // Separate from the profiles: a flood of addresses must not evict the count of a profile.
  readonly #addresses = new LRUCache<string, Count>({ max: 100_000 });
  readonly #timer: NodeJS.Timeout;
  #changed = new Set<Count>();

  constructor(redis: RedisClient, now: () => Date, addressShare: number) {
    this.#redis = redis;
    this.#now = now;
    this.#addressShare = addressShare;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs).unref();
  }

  open(
    profile: { readonly profileId: string; readonly plan: string; readonly dailyVisitQuota: number | null },
    { own, wider }: AddressGroup,
  ): Account {
    const day = this.#today();
    const most = dailyAmounts(profile.plan, profile.dailyVisitQuota);
    const mostOfAddress = amountsOfAddress(most, this.#addressShare);
    const { profileId } = profile;
    const held: { count: Count; most: DailyAmounts; times: number; reason: QuotaReason }[] = [
      { count: this.#countOf(this.#profiles, profileId, day), most, times: 1, reason: 'daily_quota' },
    ];
    const getAddressCount = (network: string, times: number) => {
      const count = this.#countOf(this.#addresses, `${profileId}:${network}`, day);
      held.push({ count, most: mostOfAddress, times, reason: 'address_quota' });
    };
    getAddressCount(own, 1);
    if (wider !== undefined) getAddressCount(wider, widerFactor);
    const left = (kind: keyof DailyAmounts, { count, most: room, times }: (typeof held)[number]) =>
      room[kind] * times - count.total[kind] - count.own[kind];
    return {
      lacks: (kind, amount) => held.find((each) => left(kind, each) < amount)?.reason,
      get brokenLeft() {
        return Math.max(0, Math.min(...held.map((each) => left('broken', each))));
      },
      add: (amounts) => {
        for (const { count } of held) {
          for (const kind of kinds) count.own[kind] += amounts[kind];
          this.#changed.add(count);
        }
      },
    };
  }

  /** The Retry-After of a request over its quota. */
  get retryAfterSeconds(): number {
    const toMidnight = Math.ceil((Date.parse(`${this.#today()}T24:00:00Z`) - this.#now().getTime()) / 1_000);
    return Math.min(Math.max(1, toMidnight), maxWaitSeconds);
  }

  async flush(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    const flushes: Promise<void>[] = [];
    for (const count of changed)
      for (const kind of kinds) if (isDue(count, kind)) flushes.push(this.#tell(count, kind));
    await Promise.all(flushes);
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.flush();
  }

  #today(): string {
    return this.#now().toISOString().slice(0, 10);
  }

  #countOf(counts: LRUCache<string, Count>, name: string, day: string): Count {
    let count = counts.get(name);
    if (count?.day !== day) {
      const isAddress = counts === this.#addresses;
      const none = () => ({ visits: 0, broken: 0, bytes: 0 });
      count = { name, isAddress, day, total: none(), own: none() };
      counts.set(name, count);
    }
    return count;
  }

  async #tell({ name, isAddress, day, own: amounts, total }: Count, kind: (typeof kinds)[number]): Promise<void> {
    const own = amounts[kind];
    const key = `${kind}:${day}:${isAddress ? hashValue(name) : name}`;
    amounts[kind] -= own;
    total[kind] += own;
    try {
      const sum = await this.#redis.incrby(key, own);
      if (sum === own) await this.#redis.expire(key, retentionSeconds);
      total[kind] = Math.max(sum, 0);
    } catch {
      // While Redis is down each collector counts its own visits only.
    }
  }
}

const isDue = ({ isAddress, own, total }: Count, kind: (typeof kinds)[number]): boolean =>
  own[kind] !== 0 && (!isAddress || total[kind] > 0 || own[kind] >= reportedFrom[kind]);
