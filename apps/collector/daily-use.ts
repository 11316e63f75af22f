import { type AddressGroup, hidden, type RedisClient, widerTimes } from '@tributary/redis';
import { amountsOfAddress, type DailyAmounts, dailyAmounts } from '@tributary/rules/visits';
import { LRUCache } from 'lru-cache';

const kinds = ['visits', 'broken', 'bytes'] as const;
type Amounts = { -readonly [Kind in (typeof kinds)[number]]: number };

/** What one subject (a profile, or an address of it) has sent on a day. */
interface Count {
  readonly name: string;
  /** Then the name holds an address, which is personal: Redis needs only to tell it from others. */
  readonly isAddress: boolean;
  readonly day: string;
  /** Of all collectors, when Redis was last asked. */
  readonly total: Amounts;
  /** Of this one, since then. */
  readonly own: Amounts;
}

export type QuotaReason = 'daily_quota' | 'address_quota';

const flushEveryMs = 500;
const keptSeconds = 2 * 24 * 60 * 60;
/** Whoever is over the quota comes back sooner than midnight: the plan may have been raised. */
const longestWaitSeconds = 3_600;
/** Less of an address is nobody else's business: most send a few visits a day, and there are many of them. */
const toldFrom: DailyAmounts = { visits: 50, broken: 20, bytes: 256 << 10 };

/** What one request is held against: the room its profile and its address have left today. */
export interface Account {
  /** The first who has less room than asked for; undefined where there is enough. */
  lacks(kind: keyof DailyAmounts, amount: number): QuotaReason | undefined;
  readonly brokenLeft: number;
  /** Counts; less than nothing gives back what was counted and then not kept. */
  add(amounts: DailyAmounts): void;
}

/**
 * What profiles and addresses sent on this day (UTC), counted over all collectors. Each counts for itself and tells Redis twice a second,
 * so that a visit waits for nobody; a quota may be passed by what comes in within that time.
 */
export class DailyUse {
  readonly #redis: RedisClient;
  readonly #now: () => Date;
  readonly #addressShare: number;
  readonly #profiles = new LRUCache<string, Count>({ max: 50_000 });
  // Apart from the profiles: a flood of addresses must not make a profile's count forgotten.
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
    const ofAddress = (network: string, times: number) => {
      const count = this.#countOf(this.#addresses, `${profileId}:${network}`, day);
      held.push({ count, most: mostOfAddress, times, reason: 'address_quota' });
    };
    ofAddress(own, 1);
    if (wider !== undefined) ofAddress(wider, widerTimes);
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

  /** After how many seconds somebody who is over a quota should try again. */
  get retryAfterSeconds(): number {
    const toMidnight = Math.ceil((Date.parse(`${this.#today()}T24:00:00Z`) - this.#now().getTime()) / 1_000);
    return Math.min(Math.max(1, toMidnight), longestWaitSeconds);
  }

  async flush(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    const told: Promise<void>[] = [];
    for (const count of changed) for (const kind of kinds) if (isDue(count, kind)) told.push(this.#tell(count, kind));
    await Promise.all(told);
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
    const key = `${kind}:${day}:${isAddress ? hidden(name) : name}`;
    amounts[kind] -= own;
    total[kind] += own;
    try {
      const sum = await this.#redis.incrby(key, own);
      if (sum === own) await this.#redis.expire(key, keptSeconds);
      total[kind] = Math.max(sum, 0);
    } catch {
      // While Redis is away each collector counts its own visits only, and goes on from there.
    }
  }
}

const isDue = ({ isAddress, own, total }: Count, kind: (typeof kinds)[number]): boolean =>
  own[kind] !== 0 && (!isAddress || total[kind] > 0 || own[kind] >= toldFrom[kind]);
