import { setTimeout as sleep } from 'node:timers/promises';
import { isUuidInAnyCase, minuteMs } from '@tributary/vocabulary';
import { Kysely, PostgresDialect, type QueryResult, type RawBuilder, sql, type Transaction } from 'kysely';
import { type LookUps, lookUpsOf } from './look-ups.ts';
import { openPool, type PoolOptions } from './pool.ts';
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
  readonly privacyLocks: PrivacyLocks;
  /** For a library that writes its own queries. Behind no wall, as `unbound` is. */
  readonly database: Kysely<Schema>;
  ping(): Promise<void>;
  /** Rejects where it may be read and not written: a standby, or a primary that is about to be one. */
  pingWrites(): Promise<void>;
  close(): Promise<void>;
}

export function createPostgres(options: PoolOptions): Postgres {
  const { url, snapshotTimeoutMs = 10 * minuteMs, onError = () => {} } = options;
  const pool = openPool(options);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });

  const attempt = <T>(wall: string, work: (tx: Tx) => Promise<T>, options: TransactionOptions) =>
    db.connection().execute(async (connection) => {
      // One round trip for BEGIN and the wall, and no way to begin without it.
      await sql.raw(`BEGIN${modes(options)}${wall}`).execute(connection);
      try {
        const result = await work(connection as Tx);
        await sql.raw('COMMIT').execute(connection);
        return result;
      } catch (error) {
        await sql.raw('ROLLBACK').execute(connection).catch(onError);
        throw error;
      }
    });

  const privacyLocks = new PrivacyLocks(url);

  const ledger = (wall: string): Ledger => ({
    async transaction(work, options = {}) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(wall, work, options);
        } catch (error) {
          if (!isPassing(error) || tries === maxTries) throw error;
          await sleep(Math.random() * 20 * tries);
        }
      }
    },
  });

  const behind = ({ profileId, workspaceId, appId }: Wall) =>
    ledger(
      (profileId ? `; SET LOCAL app.profile_id = '${uuid(profileId)}'` : '') +
        (workspaceId ? `; SET LOCAL app.workspace_id = '${uuid(workspaceId)}'` : '') +
        (appId ? `; SET LOCAL app.app_id = '${uuid(appId)}'` : ''),
    );
  return {
    behind,
    forProfile: (profileId) => behind({ profileId }),
    forWorkspace: (workspaceId) => behind({ workspaceId }),
    snapshot: (profileId, work) =>
      takeSnapshot(
        { pool, wall: `; SET LOCAL app.profile_id = '${uuid(profileId)}'`, limitMs: snapshotTimeoutMs },
        work,
      ),
    walk: (statement, stops) => walkProfiles(pool, statement, stops),
    unbound: { ...behind({}), ...lookUpsOf(pool), query: (statement) => statement.execute(db) },
    privacyLocks,
    database: db,
    ping: async () => void (await pool.query('SELECT 1')),
    pingWrites: async () => {
      const { rows } = await pool.query('SHOW transaction_read_only');
      if (rows[0].transaction_read_only === 'on') throw new Error('PostgreSQL is read-only.');
    },
    close: async () => {
      await privacyLocks.close();
      await db.destroy();
      // Kysely leaves a pool open that it has not used itself.
      if (!pool.ending) await pool.end();
    },
  };
}

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
export async function enter(tx: Tx, { profileId = '', workspaceId = '', appId = '' }: Wall): Promise<void> {
  const walls = { profile_id: profileId, workspace_id: workspaceId, app_id: appId };
  const settings = Object.entries(walls).map(([name, id]) => `SET LOCAL app.${name} = '${id === '' ? '' : uuid(id)}'`);
  await sql.raw(settings.join('; ')).execute(tx);
}
