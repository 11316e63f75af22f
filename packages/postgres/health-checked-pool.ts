import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A request that waits longer than this for a connection triggers a probe of the server. */
const probeAfterMs = 1_000;
/** Time limit of a probe. */
const probeTimeoutMs = 2_000;
/** How many probes in a row must fail, because a busy moment of this process can hide one answer. */
const maxFailedProbes = 2;
/** Interval of the probes while the server is unavailable. */
const probeEveryMs = 1_000;

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error) => void,
) => void;

/**
 * A connection pool that detects a frozen PostgreSQL or a network that drops all packets. Then every connection waits for an answer that
 * never comes, and each request would wait ten seconds for a connection. Here the first request that waits for long triggers a probe. When
 * the probes fail, all waiting and new requests fail at once until a probe succeeds.
 */
export class PatientPool extends pg.Pool {
  readonly #probe: () => Promise<boolean>;
  readonly #waiting = new Set<(error: Error) => void>();
  /** When a connection was last acquired or released without an error, which proves that the server answers, however slowly. */
  #lastUseAt = 0;
  #isProbing = false;
  #isAway = false;

  constructor(options: pg.PoolConfig) {
    super(options);
    const noteUse = () => {
      this.#lastUseAt = performance.now();
    };
    this.on('acquire', noteUse);
    this.on('release', (error) => error || noteUse());
    this.#probe = () =>
      isAnswering({ ...options, connectionTimeoutMillis: probeTimeoutMs, query_timeout: probeTimeoutMs });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const acquired = this.#acquire();
    if (!callback) return acquired;
    acquired.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  #acquire(): Promise<pg.PoolClient> {
    if (this.#isAway) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void this.#probeUntilBack(), probeAfterMs);
      const settle = () => {
        clearTimeout(timer);
        return this.#waiting.delete(giveUp);
      };
      const giveUp = (error: Error) => {
        settle();
        reject(error);
      };
      this.#waiting.add(giveUp);
      super.connect().then(
        (client) => (settle() ? resolve(client) : client.release()),
        (error: Error) => giveUp(error),
      );
    });
  }

  async #probeUntilBack(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    let startedAt = performance.now();
    for (let failed = 0; !this.ending && !(await this.#probe()); startedAt = performance.now()) {
      if (this.#lastUseAt > startedAt) break;
      failed += 1;
      if (failed < maxFailedProbes) continue;
      this.#isAway = true;
      for (const giveUp of this.#waiting) giveUp(unavailable());
      await sleep(probeEveryMs, undefined, { ref: false });
    }
    this.#isProbing = false;
    this.#isAway = false;
  }
}

const unavailable = () => new Error('PostgreSQL does not answer.');

/**
 * Probes over a new connection. An error from the server counts as an answer too: a server that reports too many connections is available.
 */
async function isAnswering(options: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(options);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    return error instanceof pg.DatabaseError;
  } finally {
    // A server that never answers would also block the end of the connection, so it is not awaited.
    client.end().catch(() => {});
  }
}
