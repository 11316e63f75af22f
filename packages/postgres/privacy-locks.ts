import { sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { DB } from './schema.generated.ts';
import { connectionTo } from './servers.ts';

/** A statement without an answer by then may have taken a lock or not: the connection is given up, and with it all that it holds. */
const statementMs = 5_000;
/** Of a process that vanished without a word, PostgreSQL frees the locks after this time; one that lives says something sooner. */
const silentMs = 60_000;
const sayMs = 15_000;

/** Privacy locks that somebody shares. */
export interface HeldLocks {
  release(): void;
}

/**
 * The privacy locks that a process shares, all of them kept by one connection of its own: bytes on their way out cost no
 * connection of the pool, however slowly they leave. PostgreSQL counts how often the same lock is held. With the connection its
 * locks are lost, and whoever relies on one is told at once.
 */
export class PrivacyLocks {
  readonly #url: string;
  #keeper: Promise<Keeper> | undefined;
  #isClosed = false;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Holds the locks of all ids, or of none when somebody holds or awaits one of them alone. It never waits, as others stand
   * behind it. A lock that this process holds already is given once more though a switch waits for it: ask `isUnlocked` first.
   */
  async share(ids: readonly string[], onLost: () => void): Promise<HeldLocks | undefined> {
    // A request that goes on while the process ends would open a connection that nobody closes.
    if (this.#isClosed) throw new Error('Connection terminated: the privacy locks are closed.');
    this.#keeper ??= Keeper.open(this.#url, () => {
      this.#keeper = undefined;
    });
    return (await this.#keeper).share(ids, onLost);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const keeper = await this.#keeper?.catch(() => undefined);
    await keeper?.end();
  }
}

/** Whether nobody switches the privacy of these ids or waits to, asked behind all who do. Shares the locks until the transaction ends. */
export async function isUnlocked(tx: Transaction<DB>, ids: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ unlocked: boolean }>`
    SELECT bool_and(pg_try_advisory_xact_lock_shared(privacy_lock(id))) AS unlocked FROM unnest(${ids}::uuid[]) AS id
  `.execute(tx);
  return rows[0]?.unlocked === true;
}

interface Hold {
  readonly onLost: () => void;
}

class Keeper {
  readonly #client: pg.Client;
  readonly #onEnd: () => void;
  readonly #holds = new Set<Hold>();
  readonly #sign = setInterval(() => void this.#ask('SELECT 1', []).catch(() => {}), sayMs).unref();
  #isLost = false;

  static async open(url: string, onEnd: () => void): Promise<Keeper> {
    const client = new pg.Client({
      ...connectionTo(url),
      connectionTimeoutMillis: 10_000,
      query_timeout: statementMs,
      // A statement does not wait for the answer to the one before.
      pipeline: true,
    });
    const keeper = new Keeper(client, onEnd);
    try {
      await client.connect();
      await client.query(`SET idle_session_timeout = ${silentMs}`);
      return keeper;
    } catch (error) {
      keeper.#lose();
      throw error;
    }
  }

  constructor(client: pg.Client, onEnd: () => void) {
    this.#client = client;
    this.#onEnd = onEnd;
    client.on('error', () => this.#lose());
    client.on('end', () => this.#lose());
  }

  async share(ids: readonly string[], onLost: () => void): Promise<HeldLocks | undefined> {
    const rows = await this.#ask<{ id: string; held: boolean }>(
      'SELECT id, pg_try_advisory_lock_shared(privacy_lock(id)) AS held FROM unnest($1::uuid[]) AS id',
      [ids],
    );
    if (this.#isLost) throw new Error('Connection terminated with the locks that it kept.');
    const held = rows.filter((row) => row.held).map(({ id }) => id);
    if (held.length < ids.length) {
      this.#free(held);
      return undefined;
    }
    const hold: Hold = { onLost };
    this.#holds.add(hold);
    return {
      release: () => {
        if (this.#holds.delete(hold)) this.#free(held);
      },
    };
  }

  async end(): Promise<void> {
    if (!this.#isLost) await this.#client.end();
  }

  #free(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const unlock = 'SELECT pg_advisory_unlock_shared(privacy_lock(id)) FROM unnest($1::uuid[]) AS id';
    // Locks that could not be given back are gone with the connection.
    this.#ask(unlock, [ids]).catch(() => {});
  }

  async #ask<Row>(statement: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await this.#client.query<Row & pg.QueryResultRow>(statement, values)).rows;
    } catch (error) {
      this.#lose();
      await this.#client.end().catch(() => {});
      throw error;
    }
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearInterval(this.#sign);
    this.#onEnd();
    for (const { onLost } of this.#holds) onLost();
    this.#holds.clear();
  }
}
