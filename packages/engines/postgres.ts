import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRoles } from '@tributary/postgres/roles.ts';
import pg from 'pg';
import type { Engine, Instance } from './engine.ts';
import { aptInstall, run, which } from './install.ts';

const directories = () =>
  existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql')
        .filter((version) => Number(version) >= 15)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => `/usr/lib/postgresql/${version}/bin`)
    : [];

const url = (instance: Instance, role: string, database = 'tributary') =>
  `postgres://${role}:${instance.password}@127.0.0.1:${instance.ports.main}/${database}`;

export const postgres: Engine = {
  name: 'postgres',
  ports: { main: 15432 },

  addresses: (instance) => ({
    DATABASE_OWNER_URL: url(instance, 'tributary_owner'),
    DATABASE_APP_URL: url(instance, 'tributary_app'),
    DATABASE_SYSTEM_URL: url(instance, 'tributary_system'),
    DATABASE_COLLECTOR_URL: url(instance, 'tributary_collector'),
    DATABASE_BACKUP_URL: url(instance, 'tributary_backup'),
  }),

  program: () => which('postgres', ...directories()),

  install: async () => aptInstall('postgresql'),

  async prepare(instance, program) {
    const data = join(instance.directory, 'data');
    if (existsSync(join(data, 'PG_VERSION'))) return;
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const password = join(instance.directory, 'password');
    writeFileSync(password, instance.password, { mode: 0o600 });
    const user = postgresUser();
    if (user) {
      assertReachable(instance.directory);
      chownSync(data, user.uid, user.gid);
      chownSync(password, user.uid, user.gid);
    }
    const initdb = [
      join(dirname(program), 'initdb'),
      `--pgdata=${data}`,
      '--username=postgres',
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
    ];
    if (user) run('setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', ...initdb);
    else run(initdb[0] as string, ...initdb.slice(1));
  },

  command(instance, program) {
    const settings = {
      port: instance.ports.main,
      listen_addresses: '127.0.0.1',
      // The log must not contain row values.
      log_error_verbosity: 'terse',
      unix_socket_directories: '',
      max_connections: 300,
      shared_buffers: '512MB',
      max_wal_size: '4GB',
      // Required to move a workspace to another server.
      wal_level: 'logical',
      // Benchmarks and chaos tests must not measure a checkpoint that starts in an idle moment.
      checkpoint_timeout: '15min',
      log_min_messages: 'warning',
      // Tests create and drop a database for each file, which only needs to survive a process crash, not a power loss.
      ...(process.env.ENGINES_FSYNC === 'off' && { fsync: 'off', full_page_writes: 'off' }),
    };
    const user = postgresUser();
    return {
      program,
      arguments: [
        '-D',
        join(instance.directory, 'data'),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      stopSignal: 'SIGINT',
      ...(user && { user }),
    };
  },

  async answers(addresses) {
    const client = new pg.Client({
      connectionString: addresses.DATABASE_OWNER_URL,
      connectionTimeoutMillis: 2_000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query('SHOW server_version')).rows[0].server_version as string;
    } catch (error) {
      // A server that lacks the role or the database is running but not initialized yet.
      const code = (error as { code?: string }).code;
      return code === '3D000' || code === '28P01' ? 'uninitialized' : undefined;
    } finally {
      await client.end().catch(() => {});
    }
  },

  async initialize(instance) {
    const admin = new pg.Client({ connectionString: url(instance, 'postgres', 'postgres') });
    await admin.connect();
    try {
      // A standby has the roles and databases of its primary.
      const { rows } = await admin.query('SELECT pg_is_in_recovery() AS is_standby');
      if (rows[0].is_standby) return;
      // Held until the connection ends: PostgreSQL rejects one of two concurrent writes of the same roles.
      await admin.query('SELECT pg_advisory_lock(4710)');
      await createRoles(admin, instance.password);
      const found = await admin.query("SELECT 1 FROM pg_database WHERE datname = 'tributary'");
      if (found.rowCount === 0) await admin.query('CREATE DATABASE tributary OWNER tributary_owner');
    } finally {
      await admin.end();
    }
  },
};

/** Creates a standby from another server's data, with the same program and password. */
export function copyServer(from: Instance, to: Instance, program: string): void {
  const data = join(to.directory, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const user = postgresUser();
  if (user) {
    assertReachable(to.directory);
    chownSync(data, user.uid, user.gid);
  }
  const copy = [
    join(dirname(program), 'pg_basebackup'),
    `--pgdata=${data}`,
    `--dbname=host=127.0.0.1 port=${from.ports.main} user=postgres`,
    '--write-recovery-conf',
    '--checkpoint=fast',
  ];
  const as = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  const [first = '', ...rest] = [...as, ...copy];
  execFileSync(first, rest, {
    env: { ...process.env, PGPASSWORD: from.password },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'));
  if (!line) throw new Error('Postgres does not run as root and there is no user "postgres" to run it as.');
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** The other user needs access to the data directory; initdb would only report "Permission denied". */
function assertReachable(directory: string): void {
  for (let path = directory; path !== '/'; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) {
      throw new Error(
        `Postgres runs as the user "postgres", who may not enter ${path}. Run "chmod o+x" on it, or clone elsewhere.`,
      );
    }
  }
}
