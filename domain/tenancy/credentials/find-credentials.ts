import type { AllShards, Tx } from '@tributary/postgres';
import { type FoundCredential, findByHash } from './store.ts';

/** Looks up one credential in a transaction that holds a lock, so that the result stays valid until the lock is released. */
export async function findCredential(tx: Tx, hash: Buffer, now: Date): Promise<FoundCredential | undefined> {
  const { rows } = await findByHash([hash], now).execute(tx);
  return rows[0];
}

type PendingLookup = {
  readonly hash: Buffer;
  readonly now: Date;
  resolve(found: FoundCredential | undefined): void;
  reject(error: unknown): void;
};

/**
 * Looks up every request's credential in the ledger, so that revocation is immediate. Requests that arrive while queries are in flight share
 * the next one: a busy server looks up hundreds of credentials in one round trip, an idle one queries at once.
 */
export class CredentialFinder {
  readonly #everywhere: AllShards;
  /** The shard on which each credential was last found, so that only new ones are queried on all shards. */
  readonly #lastShards = new Map<string, string>();
  #pending: PendingLookup[] = [];
  #inFlight = 0;

  constructor(everywhere: AllShards) {
    this.#everywhere = everywhere;
  }

  find(hash: Buffer, now: Date): Promise<FoundCredential | undefined> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ hash, now, resolve, reject });
      if (this.#inFlight < 2) void this.#runBatch();
    });
  }

  async #runBatch(): Promise<void> {
    this.#inFlight += 1;
    // Includes requests that arrive in the same event loop iteration.
    await new Promise(setImmediate);
    const batch = this.#pending.splice(0);
    try {
      if (batch.length > 0) await this.#resolveBatch(batch);
    } finally {
      this.#inFlight -= 1;
      if (this.#pending.length > 0) void this.#runBatch();
    }
  }

  async #resolveBatch(batch: readonly PendingLookup[]): Promise<void> {
    try {
      // Uses the latest time of the batch: with the earliest, a credential that has expired for the last request would still be valid.
      const now = new Date(Math.max(...batch.map((lookup) => lookup.now.getTime())));
      // Busy profiles repeat the same key: each is queried once.
      const hashes = new Map(batch.map(({ hash }) => [hash.toString('latin1'), hash]));
      const first = await this.#queryShards(hashes, now, (last, shard) => last === undefined || last === shard);
      const found = first.found;
      // A credential missing on its last shard was revoked or has moved to another shard.
      const moved = new Map([...hashes].filter(([key]) => !found.has(key) && this.#lastShards.has(key)));
      const second = moved.size > 0 ? await this.#queryShards(moved, now, (last, shard) => last !== shard) : undefined;
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

  /** Queries each shard for the credentials whose last known shard satisfies `suits`. */
  async #queryShards(
    hashes: ReadonlyMap<string, Buffer>,
    now: Date,
    suits: (lastShard: string | undefined, shard: string) => boolean,
  ): Promise<{ found: Map<string, FoundCredential>; away: unknown }> {
    const { rows, error } = await this.#everywhere.query((shard) => {
      const onShard = [...hashes].filter(([key]) => suits(this.#lastShards.get(key), shard)).map(([, hash]) => hash);
      return onShard.length > 0 ? findByHash(onShard, now) : undefined;
    });
    const found = new Map<string, FoundCredential>();
    if (this.#lastShards.size > maxRememberedShards) this.#lastShards.clear();
    for (const row of rows) {
      const key = row.hash.toString('latin1');
      found.set(key, row);
      this.#lastShards.set(key, row.shard);
    }
    return { found, away: error };
  }
}

const maxRememberedShards = 100_000;
