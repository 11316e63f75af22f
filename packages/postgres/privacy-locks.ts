import { sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { DB } from './schema.generated.ts';
import { connectionTo } from './servers.ts';

/** After this time it is unknown whether a statement took its lock, so the connection is closed and all its locks with it. */
const statementMs = 5_000;
/** PostgreSQL frees the locks of a vanished process after this time. A live process sends a query more often. */
const idleTimeoutMs = 60_000;
const keepAliveMs = 15_000;

/** Privacy locks that are held in shared mode. */
export interface PrivacyLockHandle {
  release(): void;
}

/**
 * All privacy locks that this process shares. One dedicated connection holds them, so slow response bodies occupy no pooled connection.
 * PostgreSQL counts how often the same lock is held. When the connection breaks the locks are lost, and every holder is notified at once.
 */
export class PrivacyLocks {
  readonly #url: string;
  #lockConnection: Promise<LockConnection> | undefined;
  #isClosed = false;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Takes the locks of all ids in shared mode, or none of them when one is held or awaited exclusively. It never waits, because other
   * requests queue behind it. A lock that this process already holds is granted again even if an exclusive request waits: call `isUnlocked`
   * first.
   */
  async share(ids: readonly string[], onLost: () => void): Promise<PrivacyLockHandle | undefined> {
    // A request that outlives the shutdown would open a connection that is never closed.
    if (this.#isClosed) throw new Error('Connection terminated: the privacy locks are closed.');
    this.#lockConnection ??= LockConnection.open(this.#url, () => {
      this.#lockConnection = undefined;
    });
    return (await this.#lockConnection).share(ids, onLost);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const lockConnection = await this.#lockConnection?.catch(() => undefined);
    await lockConnection?.end();
  }
}

/**
 * Whether no transaction changes the privacy mode of these ids or waits to. The check queues behind all that do. The shared locks last
 * until the transaction ends.
 */
export async function isUnlocked(tx: Transaction<DB>, ids: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ unlocked: boolean }>`
    SELECT bool_and(pg_try_advisory_xact_lock_shared(privacy_lock(id))) AS unlocked FROM unnest(${ids}::uuid[]) AS id
  `.execute(tx);
  return rows[0]?.unlocked === true;
}

interface Holder {
  readonly onLost: () => void;
}

class LockConnection {
  readonly #client: pg.Client;
  readonly #onEnd: () => void;
  readonly #holders = new Set<Holder>();
  readonly #keepAlive = setInterval(() => void this.#query('SELECT 1', []).catch(() => {}), keepAliveMs).unref();
  #isLost = false;

  static async open(url: string, onEnd: () => void): Promise<LockConnection> {
    const client = new pg.Client({
      ...connectionTo(url),
      connectionTimeoutMillis: 10_000,
      query_timeout: statementMs,
      // Statements are sent without waiting for the answers to earlier ones.
      pipeline: true,
    });
    const lockConnection = new LockConnection(client, onEnd);
    try {
      await client.connect();
      await client.query(`SET idle_session_timeout = ${idleTimeoutMs}`);
      return lockConnection;
    } catch (error) {
      lockConnection.#lose();
      throw error;
    }
  }

  constructor(client: pg.Client, onEnd: () => void) {
    this.#client = client;
    this.#onEnd = onEnd;
    client.on('error', () => this.#lose());
    client.on('end', () => this.#lose());
  }

  async share(ids: readonly string[], onLost: () => void): Promise<PrivacyLockHandle | undefined> {
    const rows = await this.#query<{ id: string; held: boolean }>(
      'SELECT id, pg_try_advisory_lock_shared(privacy_lock(id)) AS held FROM unnest($1::uuid[]) AS id',
      [ids],
    );
    if (this.#isLost) throw new Error('Connection terminated with the locks that it kept.');
    const held = rows.filter((row) => row.held).map(({ id }) => id);
    if (held.length < ids.length) {
      this.#free(held);
      return undefined;
    }
    const holder: Holder = { onLost };
    this.#holders.add(holder);
    return {
      release: () => {
        if (this.#holders.delete(holder)) this.#free(held);
      },
    };
  }

  async end(): Promise<void> {
    if (!this.#isLost) await this.#client.end();
  }

  #free(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const unlock = 'SELECT pg_advisory_unlock_shared(privacy_lock(id)) FROM unnest($1::uuid[]) AS id';
    // If the unlock fails, the connection is closed, which frees the locks.
    this.#query(unlock, [ids]).catch(() => {});
  }

  async #query<Row>(statement: string, values: unknown[]): Promise<Row[]> {
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
    clearInterval(this.#keepAlive);
    this.#onEnd();
    for (const { onLost } of this.#holders) onLost();
    this.#holders.clear();
  }
}
