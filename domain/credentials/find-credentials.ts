import type { Everywhere, Tx } from '@tributary/postgres';
import { type FoundCredential, findByHash } from './store.ts';

/** One credential, asked through a transaction that holds a lock: what it says stays true until the lock is released. */
export async function findCredential(tx: Tx, hash: Buffer, now: Date): Promise<FoundCredential | undefined> {
  const { rows } = await findByHash([hash], now).execute(tx);
  return rows[0];
}

type Waiting = {
  readonly hash: Buffer;
  readonly now: Date;
  resolve(found: FoundCredential | undefined): void;
  reject(error: unknown): void;
};

/**
 * Revocation is immediate, so every request asks the ledger. Requests that arrive while an earlier question is on its way
 * share the next one: a busy server asks hundreds of credentials in one round trip, an idle one asks at once.
 */
export class CredentialFinder {
  readonly #everywhere: Everywhere;
  /** On which server each was found last, so that only new ones are looked for on all. */
  readonly #places = new Map<string, string>();
  #waiting: Waiting[] = [];
  #asking = 0;

  constructor(everywhere: Everywhere) {
    this.#everywhere = everywhere;
  }

  find(hash: Buffer, now: Date): Promise<FoundCredential | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, now, resolve, reject });
      if (this.#asking < 2) void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    this.#asking += 1;
    // Whoever arrives in this turn of the event loop comes along.
    await new Promise(setImmediate);
    const batch = this.#waiting.splice(0);
    try {
      if (batch.length > 0) await this.#answer(batch);
    } finally {
      this.#asking -= 1;
      if (this.#waiting.length > 0) void this.#ask();
    }
  }

  async #answer(batch: readonly Waiting[]): Promise<void> {
    try {
      // Under load the first of them has waited: held against its time, a credential would live on that is over for the last.
      const now = new Date(Math.max(...batch.map((waiting) => waiting.now.getTime())));
      // A busy shop shows the same key again and again: each is asked for once.
      const asked = new Map(batch.map(({ hash }) => [hash.toString('latin1'), hash]));
      const first = await this.#askWhere(asked, now, (known, shard) => known === undefined || known === shard);
      const found = first.found;
      // One that is no longer where it was may be dead, or may have moved.
      const moved = new Map([...asked].filter(([key]) => !found.has(key) && this.#places.has(key)));
      const second = moved.size > 0 ? await this.#askWhere(moved, now, (known, shard) => known !== shard) : undefined;
      for (const [key, row] of second?.found ?? []) found.set(key, row);
      const away = first.away ?? second?.away;
      for (const { hash, resolve, reject } of batch) {
        const row = found.get(hash.toString('latin1'));
        if (!row && away !== undefined) reject(away);
        else resolve(row);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Each of those whose known place suits a server is asked there. */
  async #askWhere(
    asked: ReadonlyMap<string, Buffer>,
    now: Date,
    suits: (known: string | undefined, shard: string) => boolean,
  ): Promise<{ found: Map<string, FoundCredential>; away: unknown }> {
    const { rows, away } = await this.#everywhere.ask((shard) => {
      const there = [...asked].filter(([key]) => suits(this.#places.get(key), shard)).map(([, hash]) => hash);
      return there.length > 0 ? findByHash(there, now) : undefined;
    });
    const found = new Map<string, FoundCredential>();
    if (this.#places.size > mostPlaces) this.#places.clear();
    for (const row of rows) {
      const key = row.hash.toString('latin1');
      found.set(key, row);
      this.#places.set(key, row.shard);
    }
    return { found, away };
  }
}

const mostPlaces = 100_000;
