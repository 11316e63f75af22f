import { setTimeout as sleep } from 'node:timers/promises';
import { homeShard, isUuidInAnyCase, minuteMs } from '@tributary/vocabulary';
import {
  type ConnectionProvider,
  DefaultQueryExecutor,
  Kysely,
  PostgresDialect,
  type QueryResult,
  type RawBuilder,
  sql,
  Transaction,
} from 'kysely';
import { Line } from './line.ts';
import { type LookUps, ledgerTimeSql, lookUpsOf } from './look-ups.ts';
import { openPool, type PoolOptions } from './pool.ts';
import { isOutdated, onceMore, PreparedNames } from './prepared.ts';
import { PrivacyLocks } from './privacy-locks.ts';
import type { DB } from './schema.generated.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { type Stop, walkProfiles } from './walk.ts';

export type Schema = DB;

/** A transaction that already stands behind its wall. Writers take one; only handlers and jobs open one. */
export type Tx = Transaction<Schema>;

export interface Ledger {
  /** `work` may run more than once: what it does outside of the transaction must bear that. */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** Behind no wall, where one statement needs no transaction around it. */
export interface UnboundLedger extends Ledger, LookUps {
  query<T>(statement: RawBuilder<T>): Promise<QueryResult<T>>;
}

export interface TransactionOptions {
  /** "repeatable read" gives every statement the same view of the data. */
  readonly isolation?: 'read committed' | 'repeatable read';
  readonly readOnly?: boolean;
}

/** What a transaction may see: the rows of a profile, of a workspace and its profiles, or what belongs to an app alone. */
export interface Wall {
  readonly profileId?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly appId?: string | undefined;
  /** Where none of these says on which server it stands: a profile or workspace that is there. */
  readonly near?: string | undefined;
  /** On the server with the accounts, wherever the tenant is. */
  readonly isAtHome?: boolean | undefined;
}

export interface Postgres {
  behind(wall: Wall): Ledger;
  /** Sees and writes the rows of one profile, whatever the query says. */
  forProfile(profileId: string): Ledger;
  /** Sees and writes the rows of one workspace, its profiles among them. */
  forWorkspace(workspaceId: string): Ledger;
  /** For reading much of a profile at once: every statement sees the same state, and nothing can be written. */
  snapshot<T>(profileId: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** For reading a little of many profiles at once: the statement runs behind the wall of each, one after the other. */
  walk<Row>(statement: string, stops: readonly Stop[]): Promise<Map<string, Row[]>>;
  /** Behind no wall: sees nothing but what the listed look-up functions answer (or, as the system role, the queues). */
  readonly unbound: UnboundLedger;
  /** For what may leave only as long as nobody switches privacy. */
  readonly privacyLocks: Pick<PrivacyLocks, 'share'>;
  /** For a library that writes its own queries. Behind no wall, as `unbound` is. */
  readonly database: Kysely<Schema>;
  /** The server with the accounts, which may be this one. */
  readonly home: Postgres;
  /** Every server of the ledger by its name, this one among them. */
  readonly shards: ReadonlyMap<string, Postgres>;
  /** The server that has a profile or workspace; the home shard where none has it. `isAnew`: whatever is remembered of it. */
  shardOf(tenantId: string, isAnew?: boolean): Promise<Postgres>;
  /** Whether an error says that a tenant has gone to another server; it is there when this resolves, and found there from now on. */
  followMoved(error: unknown): Promise<boolean>;
  readonly everywhere: Everywhere;
  ping(): Promise<void>;
  /** PostgreSQL's time in milliseconds. */
  readTime(): Promise<number>;
  /** Rejects if the server is read-only (a standby, or a failover in progress) or its disk is full. */
  pingWrites(): Promise<void>;
  close(): Promise<void>;
}

/** What is asked of every shard: whoever shows a secret does not say where it is kept. */
export interface Everywhere {
  /** The rows of all of them. Rejects when one is away. */
  transaction<T>(work: (tx: Tx, shard: string) => Promise<readonly T[]>, options?: TransactionOptions): Promise<T[]>;
  /** The same for a listed look-up function. */
  lookUp<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The rows of those that answer, and why another did not. */
  ask<T>(statement: (shard: string) => RawBuilder<T> | undefined): Promise<Asked<T>>;
}

export interface Asked<T> {
  readonly rows: readonly (T & { readonly shard: string })[];
  /** Undefined when all answered. */
  readonly away: unknown;
}

export function createPostgres(options: PoolOptions): Postgres {
  const { url, snapshotTimeoutMs = 10 * minuteMs, onError = () => {} } = options;
  const pool = openPool({ ...options, isPipelined: true });
  // COPY needs a connection on which nothing is sent behind it.
  const copies = openPool(options);
  const names = new PreparedNames();
  const dialect = new PostgresDialect({ pool });
  const db = new Kysely<Schema>({ dialect });
  const parts = { config: { dialect }, dialect, driver: dialect.createDriver() };
  const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
    provideConnection: async (consumer) => {
      const client = await pool.connect();
      try {
        return await consumer(new Line(client, names));
      } finally {
        client.release();
      }
    },
  });
  const single = new Kysely<Schema>({ ...parts, executor });

  const attempt = async <T>(wall: Opening, work: (tx: Tx) => Promise<T>, options: TransactionOptions): Promise<T> => {
    const client = await pool.connect();
    // BEGIN and the wall leave with the first statement, and no statement can run without them.
    const line = new Line(client, names, [`BEGIN${modes(options)}`, ...wall]);
    const over: ConnectionProvider = { provideConnection: (consumer) => consumer(line) };
    let result: T;
    try {
      result = await work(new Transaction<Schema>({ ...parts, executor: executor.withConnectionProvider(over) }));
    } catch (error) {
      const broken = await line.end('ROLLBACK').then(
        () => undefined,
        (reason: Error) => reason,
      );
      if (broken) onError(broken);
      client.release(broken);
      throw error;
    }
    const committing = line.end('COMMIT');
    if (options.readOnly) {
      // Nothing to lose: whoever has the connection next sends behind it.
      committing.catch(onError);
      client.release();
      return result;
    }
    const committed = await committing.finally(() => client.release());
    if (committed?.command === 'ROLLBACK')
      throw new Error('A statement failed, and the transaction went on without it.');
    return result;
  };

  const privacyLocks = new PrivacyLocks(url);

  const ledger = (wall: Opening): Ledger => ({
    async transaction(work, options = {}) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(wall, work, options);
        } catch (error) {
          if (tries === maxTries || !(isPassing(error) || isOutdated(error))) throw error;
          await sleep(Math.random() * 20 * tries);
        }
      }
    },
  });

  const behind = ({ profileId, workspaceId, appId, near, isAtHome = false }: Wall) =>
    ledger([
      ...(options.isShard && !isAtHome ? [profileId, workspaceId, near].filter(isTenant).map(standBefore) : []),
      ...(profileId ? [`SET LOCAL app.profile_id = '${uuid(profileId)}'`] : []),
      ...(workspaceId ? [`SET LOCAL app.workspace_id = '${uuid(workspaceId)}'`] : []),
      ...(appId ? [`SET LOCAL app.app_id = '${uuid(appId)}'`] : []),
    ]);
  const unbound: UnboundLedger = {
    ...behind({}),
    ...lookUpsOf(pool, names),
    query: (statement) => onceMore(() => statement.execute(single)),
  };
  const shards = new Map<string, Postgres>();
  const postgres: Postgres = {
    behind,
    forProfile: (profileId) => behind({ profileId }),
    forWorkspace: (workspaceId) => behind({ workspaceId }),
    snapshot: (profileId, work) =>
      takeSnapshot(
        {
          pool: copies,
          wall: `; SET LOCAL app.profile_id = '${uuid(profileId)}'${options.isShard ? `; CALL refuse_moved('${profileId}')` : ''}`,
          limitMs: snapshotTimeoutMs,
        },
        work,
      ),
    walk: (statement, stops) => walkProfiles(copies, statement, stops, options.isShard),
    unbound,
    privacyLocks,
    database: db,
    get home() {
      return postgres;
    },
    shards,
    shardOf: async () => postgres,
    followMoved: async () => false,
    everywhere: everywhereOf(shards),
    ping: async () => void (await pool.query('SELECT 1')),
    readTime: async () => (await pool.query<{ ms: number }>(ledgerTimeSql)).rows[0]?.ms as number,
    pingWrites: async () => {
      const { rows } = await pool.query('SHOW transaction_read_only');
      if (rows[0].transaction_read_only === 'on') throw new Error('PostgreSQL is read-only.');
      await pool.query(writeToDisk);
    },
    close: async () => {
      await privacyLocks.close();
      await copies.end();
      await db.destroy();
      // Kysely leaves a pool open that it has not used itself.
      if (!pool.ending) await pool.end();
    },
  };
  shards.set(homeShard, postgres);
  return postgres;
}

/**
 * Detects a full disk by allocating space and freeing it again. Updating a row would not: it fits into an allocated page. The sort exceeds
 * its work_mem and writes a temporary file, and the commit flushes the message to the WAL. The simple query protocol runs all as one transaction.
 */
const writeToDisk = `
  SET LOCAL work_mem = '64kB';
  SELECT FROM (SELECT repeat('x', 1000) || n FROM generate_series(1, 200) AS n ORDER BY 1 OFFSET 199) AS sorted;
  SELECT pg_logical_emit_message(true, 'tributary', 'write check')`;

const isTenant = (id: string | undefined): id is string => id !== undefined && isUuidInAnyCase(id);
const standBefore = (id: string): string => `CALL stand_before('${uuid(id)}')`;

/** What goes out before the first statement. */
type Opening = readonly string[];

const maxTries = 5;

/** Two transactions in each other's way, of which PostgreSQL ended this one. Nothing of it is left, so it may simply run again. */
const isPassing = (error: unknown): boolean => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');

function modes({ isolation, readOnly }: TransactionOptions): string {
  return `${isolation ? ` ISOLATION LEVEL ${isolation.toUpperCase()}` : ''}${readOnly ? ' READ ONLY' : ''}`;
}

/** SET takes no parameters, so what is put into it must be nothing but a UUID. */
function uuid(text: string): string {
  if (!isUuidInAnyCase(text)) throw new TypeError('The wall needs the UUID of a profile or workspace.');
  return text;
}

/** Moves an open transaction behind another wall: for what has just proven its right to it, or just made it. */
export async function enter(tx: Tx, { profileId = '', workspaceId = '', appId = '', isAtHome }: Wall): Promise<void> {
  const walls = { profile_id: profileId, workspace_id: workspaceId, app_id: appId };
  const settings = Object.entries(walls).map(([name, id]) => `SET LOCAL app.${name} = '${id === '' ? '' : uuid(id)}'`);
  const standing = isAtHome ? [] : [profileId, workspaceId].filter(isTenant).map(standBefore);
  await sql.raw([...settings, ...standing].join('; ')).execute(tx);
}

export function everywhereOf(shards: ReadonlyMap<string, Postgres>): Everywhere {
  return {
    transaction: async (work, options) =>
      (
        await Promise.all(
          [...shards].map(([shard, { unbound }]) => unbound.transaction((tx) => work(tx, shard), options)),
        )
      ).flat(),
    lookUp: async <Row>(statement: string, values?: readonly unknown[]) =>
      (await Promise.all([...shards].map(([, { unbound }]) => unbound.lookUp<Row>(statement, values)))).flat(),
    ask: async <T>(statement: (shard: string) => RawBuilder<T> | undefined) => {
      const asked = await Promise.allSettled(
        [...shards].map(async ([shard, { unbound }]) => {
          const asking = statement(shard);
          const { rows }: Pick<QueryResult<T>, 'rows'> = asking ? await unbound.query(asking) : { rows: [] };
          return rows.map((row) => ({ ...row, shard }));
        }),
      );
      const rows = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      return { rows, away: asked.find((one) => one.status === 'rejected')?.reason };
    },
  };
}
