import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { buildProfile, type Drill, openDrillEngines } from '@tributary/testkit';
import pg from 'pg';
import { until } from './faults-scene.ts';
import { happen } from './webhook-scene.ts';

const sizes = { small: { seconds: 3, moments: 1 }, full: { seconds: 120, moments: 5 } };
const set = 'drill-point-in-time';
const writers = 8;
const script = join(import.meta.dirname, '../../deploy/ledger-archive.sh');
const waitMs = 60_000;

/** A write to the ledger, timed by the clock of this process. */
interface Write {
  readonly id: string;
  readonly begunAt: number;
  readonly acknowledgedAt: number;
}

/** The writes before and after a moment, and how many of them the ledger restored to that moment lacks or wrongly holds. */
interface RestoreCounts {
  readonly before: number;
  readonly missing: number;
  readonly after: number;
  readonly from_later: number;
  readonly open_after_seconds: number;
}

/**
 * Writes to the ledger while its write-ahead log is archived and a base backup is made. Then it deletes the data, and restores the archive to
 * several moments between two writes.
 */
export const drill: Drill = {
  name: 'point-in-time',
  promise:
    'The archive restores the ledger to any moment, with every write acknowledged before it and no write begun after it.',

  async run({ size, progress }) {
    const { seconds, moments: count } = sizes[size];
    const folder = await mkdtemp(join(tmpdir(), 'ledger-archive-'));
    const engines = await openDrillEngines(set, ['postgres']);
    const { supervisor, database } = engines;
    const engine = await supervisor.place('postgres');
    const server = {
      PGHOST: '127.0.0.1',
      PGPORT: String(engine.ports.main),
      PGUSER: 'postgres',
      PGPASSWORD: engine.password,
    };
    let archiving: ChildProcess | undefined;
    let app: Postgres | undefined;
    try {
      await giveToPostgres(folder);
      archiving = asPostgres(['stream', folder], server);
      app = createPostgres({ url: database.appUrl, poolSize: writers });
      const { id: profileId } = await buildProfile(app);
      const load = startWriting(app, profileId);
      const beganBase = performance.now();
      await untilSucceeded(asPostgres(['base', folder], server));
      const baseSeconds = secondsSince(beganBase);
      // The base backup can be restored to moments from a second after its end.
      await sleep(1_500);
      const moments: number[] = [];
      for (let n = 0; n < count; n += 1) {
        await sleep((seconds * 1_000) / (count + 1));
        moments.push(Date.now());
        progress(n, 2 * count, 'moments noted');
      }
      await sleep((seconds * 1_000) / (count + 1));
      const writes = await load.stop();
      await app.close();
      app = undefined;
      const admin = database.ownerUrl.replace(/\/\/[^@]*@/, `//postgres:${engine.password}@`);
      await untilArchived(admin);
      archiving.kill('SIGKILL');

      const found: RestoreCounts[] = [];
      for (const [n, moment] of moments.entries()) {
        await supervisor.lose('postgres');
        const began = performance.now();
        const data = join(engine.directory, 'data');
        await giveToPostgres(engine.directory);
        await untilSucceeded(asPostgres(['restore', folder, new Date(moment).toISOString(), data], server));
        await supervisor.start(['postgres']);
        await until('the server is open', waitMs, async () => {
          const [row] = await query<{ follows: boolean }>(admin, 'SELECT pg_is_in_recovery() AS follows');
          return row?.follows === false;
        });
        const openSeconds = secondsSince(began);
        const restoredIds = new Set((await query<{ id: string }>(admin, 'SELECT id FROM outbox')).map(({ id }) => id));
        const before = writes.filter(({ acknowledgedAt }) => acknowledgedAt < moment);
        const after = writes.filter(({ begunAt }) => begunAt > moment);
        found.push({
          before: before.length,
          missing: before.filter(({ id }) => !restoredIds.has(id)).length,
          after: after.length,
          from_later: after.filter(({ id }) => restoredIds.has(id)).length,
          open_after_seconds: openSeconds,
        });
        progress(count + n, 2 * count, 'moments restored');
      }
      // The restored server accepts writes.
      app = createPostgres({ url: database.appUrl, poolSize: 1 });
      await happen(app, profileId, 1);
      const sum = (figure: 'missing' | 'from_later') => found.reduce((total, one) => total + one[figure], 0);
      return {
        passed:
          sum('missing') === 0 &&
          sum('from_later') === 0 &&
          found.every(({ before, after }) => before > 0 && after > 0),
        writes: writes.length,
        moments: found,
        missing: sum('missing'),
        from_later: sum('from_later'),
        base_seconds: baseSeconds,
      };
    } finally {
      archiving?.kill('SIGKILL');
      await app?.close();
      await engines.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

function startWriting(app: Postgres, profileId: string) {
  const writes: Write[] = [];
  let isStopped = false;
  const lanes = Array.from({ length: writers }, async () => {
    while (!isStopped) {
      const begunAt = Date.now();
      const [id = ''] = await happen(app, profileId, 1);
      writes.push({ id, begunAt, acknowledgedAt: Date.now() + 1 });
      await sleep(5);
    }
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
      return writes;
    },
  };
}

/** PostgreSQL does not run as root, nor do the commands that read its data. */
const userPrefix =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

function asPostgres(args: readonly string[], server: NodeJS.ProcessEnv): ChildProcess {
  const [program = '', ...rest] = [...userPrefix, script, ...args];
  return spawn(program, rest, {
    cwd: tmpdir(),
    env: { ...process.env, ...server },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function untilSucceeded(child: ChildProcess): Promise<void> {
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code}.`);
}

const giveToPostgres = async (folder: string) => {
  if (userPrefix.length > 0) await promisify(execFile)('chown', ['postgres', folder]);
};

/** Resolves when the archive holds the whole write-ahead log so far. */
async function untilArchived(admin: string): Promise<void> {
  const [end] = await query<{ at: string }>(admin, 'SELECT pg_current_wal_flush_lsn()::text AS at');
  await until('the log is in the archive', waitMs, async () => {
    const [row] = await query<{ is: boolean }>(
      admin,
      `SELECT flush_lsn >= '${end?.at}' AS is FROM pg_stat_replication WHERE application_name = 'pg_receivewal'`,
    );
    return row?.is === true;
  });
}

async function query<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client
    .query<Row>(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 100) / 10;
