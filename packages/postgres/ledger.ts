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
import { type LookUps, ledgerTimeSql, lookUpsOf } from './look-ups.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import { openPool, type PoolOptions } from './pool.ts';
import { isOutdated, onceMore, PreparedNames } from './prepared.ts';
import { PrivacyLocks } from './privacy-locks.ts';
import type { DB } from './schema.generated.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { type WalkItem, walkProfiles } from './walk.ts';

export type Schema = DB;

/** A transaction with its tenant scope already set. Code that writes receives one; only handlers and jobs open one. */
export type Tx = Transaction<Schema>;

export interface Ledger {
  /** `work` may run more than once because failed attempts are retried, so its side effects outside the transaction must be repeatable. */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** Without a tenant scope. `query` runs one statement without a transaction around it. */
export interface UnboundLedger extends Ledger, LookUps {
  query<T>(statement: RawBuilder<T>): Promise<QueryResult<T>>;
}

export interface TransactionOptions {
  /** "repeatable read" gives every statement the same view of the data. */
  readonly isolation?: 'read committed' | 'repeatable read';
  readonly readOnly?: boolean;
}

/** The tenant scope of a transaction: the rows of a profile, of a workspace and its profiles, or the rows that belong to an app alone. */
export interface TenantScope {
  readonly profileId?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly appId?: string | undefined;
  /** An existing profile or workspace that identifies the server, for a scope whose other fields do not. */
  readonly near?: string | undefined;
  /** Use the home server, which stores the accounts, wherever the tenant is stored. */
  readonly onHomeServer?: boolean | undefined;
}

export interface Postgres {
  withScope(wall: TenantScope): Ledger;
  /** Reads and writes only the rows of one profile, whatever the query asks for. */
  forProfile(profileId: string): Ledger;
  /** Reads and writes only the rows of one workspace and its profiles. */
  forWorkspace(workspaceId: string): Ledger;
  /** Reads large amounts of one profile's data: every statement sees the same state, and writes are rejected. */
  snapshot<T>(profileId: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Reads small amounts of data from many profiles: the statement runs once per profile, each time in that profile's scope. */
  walk<Row>(statement: string, stops: readonly WalkItem[]): Promise<Map<string, Row[]>>;
  /** Without a tenant scope: only the listed look-up functions return rows. The system role can also read the queues. */
  readonly unbound: UnboundLedger;
  /** Locks that keep a profile's privacy mode from changing while personal data is being sent. */
  readonly privacyLocks: Pick<PrivacyLocks, 'share'>;
  /** For libraries that build their own queries. Has no tenant scope, like `unbound`. */
  readonly database: Kysely<Schema>;
  /** The server that stores the accounts. It may be this one. */
  readonly home: Postgres;
  /** All servers of the ledger by name, including this one. */
  readonly shards: ReadonlyMap<string, Postgres>;
  /** The server that stores a profile or workspace, or the home shard when no server has it. `isAnew` bypasses the cached location. */
  shardOf(tenantId: string, isAnew?: boolean): Promise<Postgres>;
  /** Whether the error reports that a tenant moved to another server. Resolves once the tenant is there; later calls find it there. */
  waitForMove(error: unknown): Promise<boolean>;
  readonly allShards: AllShards;
  ping(): Promise<void>;
  /** The server's clock in milliseconds. */
  readTime(): Promise<number>;
  /** Rejects when the server can be read but not written: a standby, a primary being demoted, or a full disk. */
  pingWrites(): Promise<void>;
  close(): Promise<void>;
}

/** Queries that run on every shard, for lookups by a secret: a secret does not name the server that stores it. */
export interface AllShards {
  /** The rows of all shards. Rejects when a shard is unavailable. */
  transaction<T>(work: (tx: Tx, shard: string) => Promise<readonly T[]>, options?: TransactionOptions): Promise<T[]>;
  /** The same for a listed look-up function. */
  lookUp<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The rows of the shards that answer, and the error of a shard that does not. */
  query<T>(statement: (shard: string) => RawBuilder<T> | undefined): Promise<ShardRows<T>>;
}

export interface ShardRows<T> {
  readonly rows: readonly (T & { readonly shard: string })[];
  /** Undefined when all shards answered. */
  readonly error: unknown;
}

export function createPostgres(options: PoolOptions): Postgres {
  const { url, snapshotTimeoutMs = 10 * minuteMs, onError = () => {} } = options;
  const pool = openPool({ ...options, isPipelined: true });
  // COPY needs a connection that is not pipelined.
  const copies = openPool(options);
  const names = new PreparedNames();
  const dialect = new PostgresDialect({ pool });
  const db = new Kysely<Schema>({ dialect });
  const parts = { config: { dialect }, dialect, driver: dialect.createDriver() };
  const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
    provideConnection: async (consumer) => {
      const client = await pool.connect();
      try {
        return await consumer(new PipelinedConnection(client, names));
      } finally {
        client.release();
      }
    },
  });
  const single = new Kysely<Schema>({ ...parts, executor });

  const attempt = async <T>(
    scope: OpeningStatements,
    work: (tx: Tx) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> => {
    const client = await pool.connect();
    // BEGIN and the tenant scope are sent with the first statement, and no statement can run without them.
    const line = new PipelinedConnection(client, names, [`BEGIN${modes(options)}`, ...scope]);
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
      // A read-only transaction has nothing to lose, so the connection is released before COMMIT is answered; the next user sends behind
      // it.
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

  const ledger = (scope: OpeningStatements): Ledger => ({
    async transaction(work, options = {}) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(scope, work, options);
        } catch (error) {
          if (tries === maxTries || !(isRetryable(error) || isOutdated(error))) throw error;
          await sleep(Math.random() * 20 * tries);
        }
      }
    },
  });

  const withScope = ({ profileId, workspaceId, appId, near, onHomeServer = false }: TenantScope) =>
    ledger([
      ...(options.isShard && !onHomeServer ? [profileId, workspaceId, near].filter(isTenant).map(standBefore) : []),
      ...(profileId ? [`SET LOCAL app.profile_id = '${uuid(profileId)}'`] : []),
      ...(workspaceId ? [`SET LOCAL app.workspace_id = '${uuid(workspaceId)}'`] : []),
      ...(appId ? [`SET LOCAL app.app_id = '${uuid(appId)}'`] : []),
    ]);
  const unbound: UnboundLedger = {
    ...withScope({}),
    ...lookUpsOf(pool, names),
    query: (statement) => onceMore(() => statement.execute(single)),
  };
  const shards = new Map<string, Postgres>();
  const postgres: Postgres = {
    withScope,
    forProfile: (profileId) => withScope({ profileId }),
    forWorkspace: (workspaceId) => withScope({ workspaceId }),
    snapshot: (profileId, work) =>
      takeSnapshot(
        {
          pool: copies,
          scope: `; SET LOCAL app.profile_id = '${uuid(profileId)}'${options.isShard ? `; CALL refuse_moved('${profileId}')` : ''}`,
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
    waitForMove: async () => false,
    allShards: everywhereOf(shards),
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
      // Kysely does not end a pool that it has not used.
      if (!pool.ending) await pool.end();
    },
  };
  shards.set(homeShard, postgres);
  return postgres;
}

/**
 * Allocates disk space and frees it again, which fails on a full disk. Updating a row would prove nothing because it can fit into an
 * existing page. A sort that exceeds work_mem writes a temporary file, and the commit flushes the message to the WAL. Without parameters
 * the statements run as one transaction.
 */
const writeToDisk = `
  SET LOCAL work_mem = '64kB';
  SELECT FROM (SELECT repeat('x', 1000) || n FROM generate_series(1, 200) AS n ORDER BY 1 OFFSET 199) AS sorted;
  SELECT pg_logical_emit_message(true, 'tributary', 'write check')`;

const isTenant = (id: string | undefined): id is string => id !== undefined && isUuidInAnyCase(id);
const standBefore = (id: string): string => `CALL stand_before('${uuid(id)}')`;

/** Statements that are sent before the first statement of a transaction. */
type OpeningStatements = readonly string[];

const maxTries = 5;

/** A deadlock or serialization failure: PostgreSQL rolled this transaction back completely, so it can run again. */
const isRetryable = (error: unknown): boolean => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');

function modes({ isolation, readOnly }: TransactionOptions): string {
  return `${isolation ? ` ISOLATION LEVEL ${isolation.toUpperCase()}` : ''}${readOnly ? ' READ ONLY' : ''}`;
}

/** SET takes no parameters, so only a UUID may be put into its text. */
function uuid(text: string): string {
  if (!isUuidInAnyCase(text)) throw new TypeError('The wall needs the UUID of a profile or workspace.');
  return text;
}

/**
 * Switches an open transaction to another tenant scope, for a caller that has just proven its access to a tenant or has just created it.
 */
export async function switchScope(
  tx: Tx,
  { profileId = '', workspaceId = '', appId = '', onHomeServer }: TenantScope,
): Promise<void> {
  const scope = { profile_id: profileId, workspace_id: workspaceId, app_id: appId };
  const settings = Object.entries(scope).map(([name, id]) => `SET LOCAL app.${name} = '${id === '' ? '' : uuid(id)}'`);
  const moveChecks = onHomeServer ? [] : [profileId, workspaceId].filter(isTenant).map(standBefore);
  await sql.raw([...settings, ...moveChecks].join('; ')).execute(tx);
}

export function everywhereOf(shards: ReadonlyMap<string, Postgres>): AllShards {
  return {
    transaction: async (work, options) =>
      (
        await Promise.all(
          [...shards].map(([shard, { unbound }]) => unbound.transaction((tx) => work(tx, shard), options)),
        )
      ).flat(),
    lookUp: async <Row>(statement: string, values?: readonly unknown[]) =>
      (await Promise.all([...shards].map(([, { unbound }]) => unbound.lookUp<Row>(statement, values)))).flat(),
    query: async <T>(statement: (shard: string) => RawBuilder<T> | undefined) => {
      const outcomes = await Promise.allSettled(
        [...shards].map(async ([shard, { unbound }]) => {
          const query = statement(shard);
          const { rows }: Pick<QueryResult<T>, 'rows'> = query ? await unbound.query(query) : { rows: [] };
          return rows.map((row) => ({ ...row, shard }));
        }),
      );
      const rows = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      return { rows, error: outcomes.find((one) => one.status === 'rejected')?.reason };
    },
  };
}
