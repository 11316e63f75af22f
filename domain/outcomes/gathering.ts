import { Refusal } from '@tributary/operations';
import { isAway } from '@tributary/postgres';

export interface GatheringLimits {
  /** Transactions that are under way at once for one profile. */
  readonly lanes: number;
  /** What shares a transaction. */
  readonly mostTogether: number;
  /** What waits for one profile, beyond which nobody may join. */
  readonly mostWaiting: number;
}

const usual: GatheringLimits = { lanes: 2, mostTogether: 100, mostWaiting: 2_000 };

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly work: Work<Item, Result>;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The requests of one profile. */
interface Line<Item, Result> {
  readonly waiting: Waiting<Item, Result>[];
  lanes: number;
}

/** Does all of it in one transaction, or nothing; resolves to a result for each, in their order. */
type Work<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

/**
 * Lets what requests of one profile ask for share a transaction and its wait for the disk. Whoever comes while others are at work goes with the
 * next transaction; an idle profile waits for nobody. Each gets its result after the commit.
 *
 * Profiles share nothing: each has its own line and lanes. What cannot be done together is done one by one, so that a request fails for its own
 * fault only. Where nobody can be asked at the moment, all are told so at once: alone they would wait for the same, one after the other.
 */
export class Gathering<Item, Result> {
  readonly #limits: GatheringLimits;
  /** Those without anybody waiting or at work are gone. */
  readonly #lines = new Map<string, Line<Item, Result>>();

  constructor(limits: GatheringLimits = usual) {
    this.#limits = limits;
  }

  /** How many profiles have something under way. */
  get size(): number {
    return this.#lines.size;
  }

  /** `work` does the same for everybody of the profile: of those that go together that of the first is used. */
  take(profileId: string, item: Item, work: Work<Item, Result>): Promise<Result> {
    const line = this.#lines.get(profileId) ?? { waiting: [], lanes: 0 };
    if (line.waiting.length >= this.#limits.mostWaiting)
      throw new Refusal(
        'service_unavailable',
        'Too much waits to be recorded for this profile. Send it again shortly.',
        {
          headers: { 'retry-after': '1' },
        },
      );
    this.#lines.set(profileId, line);
    return new Promise((resolve, reject) => {
      line.waiting.push({ item, work, resolve, reject });
      if (line.lanes < this.#limits.lanes) void this.#open(profileId, line);
    });
  }

  async #open(profileId: string, line: Line<Item, Result>): Promise<void> {
    line.lanes += 1;
    // Whoever arrives in this turn of the event loop comes along.
    await new Promise(setImmediate);
    while (line.waiting.length > 0) await settle(line.waiting.splice(0, this.#limits.mostTogether));
    line.lanes -= 1;
    if (line.lanes === 0) this.#lines.delete(profileId);
  }
}

async function settle<Item, Result>(batch: readonly Waiting<Item, Result>[]): Promise<void> {
  const [first] = batch;
  if (!first) return;
  try {
    const results = await first.work(batch.map(({ item }) => item));
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  } catch (error) {
    if (batch.length === 1 || isAway(error)) for (const { reject } of batch) reject(error);
    else await settleOneByOne(batch);
  }
}

async function settleOneByOne<Item, Result>(batch: readonly Waiting<Item, Result>[]): Promise<void> {
  let away: { readonly error: unknown } | undefined;
  for (const { item, work, resolve, reject } of batch) {
    if (away) {
      reject(away.error);
      continue;
    }
    try {
      const [result] = await work([item]);
      resolve(result as Result);
    } catch (error) {
      if (isAway(error)) away = { error };
      reject(error);
    }
  }
}
