import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Whoever waits longer for a connection makes us look whether anybody is there. */
const patienceMs = 1_000;
/** How long a look may take, */
const lookMs = 2_000;
/** how many in a row must find nobody, as a busy moment of our own can hide one answer, */
const mostSilent = 2;
/** and how often it is looked whether they are back. */
const lookEveryMs = 1_000;

type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: Error) => void) => void;

/**
 * A pool before a PostgreSQL that may be frozen, or behind a line that swallows everything. Then every connection is at work on what is never
 * answered, and each request would wait its own ten seconds for one. Here the first that waits for long makes us look; when nobody
 * answers, all are told at once until somebody does.
 */
export class PatientPool extends pg.Pool {
  readonly #look: () => Promise<boolean>;
  readonly #waiting = new Set<(error: Error) => void>();
  /** When a connection was last given out or came back: whoever does that is there, however slowly. */
  #heardAt = 0;
  #isLooking = false;
  #isAway = false;

  constructor(options: pg.PoolConfig) {
    super(options);
    const hear = () => {
      this.#heardAt = performance.now();
    };
    this.on('acquire', hear);
    this.on('release', (error) => error || hear());
    this.#look = () => isAnswering({ ...options, connectionTimeoutMillis: lookMs, query_timeout: lookMs });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Taken): void;
  override connect(callback?: Taken): Promise<pg.PoolClient> | undefined {
    const taken = this.#take();
    if (!callback) return taken;
    taken.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  #take(): Promise<pg.PoolClient> {
    if (this.#isAway) return Promise.reject(away());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void this.#lookUntilBack(), patienceMs);
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

  async #lookUntilBack(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    let startedAt = performance.now();
    for (let silent = 0; !this.ending && !(await this.#look()); startedAt = performance.now()) {
      if (this.#heardAt > startedAt) break;
      silent += 1;
      if (silent < mostSilent) continue;
      this.#isAway = true;
      for (const giveUp of this.#waiting) giveUp(away());
      await sleep(lookEveryMs, undefined, { ref: false });
    }
    this.#isLooking = false;
    this.#isAway = false;
  }
}

const away = () => new Error('PostgreSQL does not answer.');

/** Over a connection of its own. A refusal is an answer too: whoever says that there are too many of us is there. */
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
    // Of one that never answers, the end is not waited for.
    client.end().catch(() => {});
  }
}
