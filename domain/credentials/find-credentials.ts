import type { Tx, UnboundLedger } from '@tributary/postgres';
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
  readonly #ledger: UnboundLedger;
  #waiting: Waiting[] = [];
  #asking = 0;

  constructor(ledger: UnboundLedger) {
    this.#ledger = ledger;
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
      const { rows } = await this.#ledger.query(findByHash([...asked.values()], now));
      const found = new Map(rows.map((row) => [row.hash.toString('latin1'), row]));
      for (const { hash, resolve } of batch) resolve(found.get(hash.toString('latin1')));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
