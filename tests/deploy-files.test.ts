import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Supervisor } from '@tributary/engines';
import { createPostgres, migrate } from '@tributary/postgres';
import { backupRole, roles } from '@tributary/postgres/roles.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose, filledIn, ours, read, root } from './compose.fixture.ts';

describe('deploy/nats.conf', () => {
  const server = join(root, '.engines/programs/nats/usr/sbin/nats-server');

  test('NATS acknowledges a message only once it is on disk', () => {
    expect(read('deploy/nats.conf')).toMatch(/^jetstream \{[^}]*^ {2}sync_interval: always$/m);
  });

  test.skipIf(!existsSync(server))('nats-server accepts the file with a numeric password', () => {
    const password = compose.services.nats?.environment.NATS_PASSWORD;
    expect(password).toBe(`"${filledIn.NATS_PASSWORD}"`);
    const check = spawnSync(server, ['--config', join(root, 'deploy/nats.conf'), '-t'], {
      encoding: 'utf8',
      env: { NATS_PASSWORD: password },
    });
    expect(check).toMatchObject({ status: 0, stderr: expect.stringContaining('is valid') });
  });
});

const psql = newestPsql();
// The second test uses the database of the first.
describe.skipIf(spawnSync(psql, ['--version']).status !== 0)('deploy/postgres-roles.sql', { shuffle: false }, () => {
  const supervisor = new Supervisor(`deploy-${process.pid}`);
  let server: URL;
  const inDatabase = (database: string, user = 'postgres', password = server.password) => {
    const url = new URL(server);
    [url.username, url.password, url.pathname] = [user, password, database];
    return url.href;
  };
  const runSql = (query: string) =>
    execFileSync(psql, ['--no-psqlrc', '-v', 'ON_ERROR_STOP=1', '-Atc', query, inDatabase('postgres')], {
      encoding: 'utf8',
    });
  const facts = () =>
    runSql(`SELECT rolname, rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication, rolinherit
         FROM pg_roles WHERE rolname !~ '^(pg_|postgres$)' ORDER BY 1`) +
    runSql(`SELECT datname, pg_get_userbyid(datdba), datacl FROM pg_database WHERE datname = 'tributary'`);

  beforeAll(async () => {
    const { DATABASE_OWNER_URL } = await supervisor.start(['postgres']);
    server = new URL(DATABASE_OWNER_URL as string);
  });
  afterAll(() => supervisor.destroy());

  test('creates the roles of packages/postgres/roles.ts, and a second run changes nothing', () => {
    const expected = facts();
    expect(expected.split('\n').map((line) => line.split('|')[0])).toEqual([
      ...[...Object.values(roles), backupRole].toSorted(),
      'tributary',
      '',
    ]);
    runSql('DROP DATABASE tributary');
    for (const role of [...Object.values(roles), backupRole]) runSql(`DROP ROLE ${role}`);

    const run = () =>
      spawnSync(psql, ['--no-psqlrc', '--file', join(root, 'deploy/postgres-roles.sql'), inDatabase('postgres')], {
        encoding: 'utf8',
        env: { ...process.env, ...compose.services.postgres?.environment },
      });
    for (const attempt of ['first', 'second']) {
      expect(run(), attempt).toMatchObject({ status: 0, stderr: '' });
      expect(facts(), attempt).toBe(expected);
    }
  });

  test('the URLs in compose.yaml work: the owner migrates and the other roles connect', async () => {
    const atServer = (text: string | undefined) => {
      const { username, password, pathname } = new URL(text as string);
      return inDatabase(pathname, username, password);
    };
    const { migrate: first, worker, collector, backup } = compose.services;
    expect(await migrate(atServer(first?.environment.DATABASE_OWNER_URL))).not.toEqual([]);
    const given = { ...worker?.environment, ...collector?.environment, ...backup?.environment };
    for (const variable of [
      'DATABASE_APP_URL',
      'DATABASE_SYSTEM_URL',
      'DATABASE_COLLECTOR_URL',
      'DATABASE_BACKUP_URL',
    ]) {
      const postgres = createPostgres({ url: atServer(given[variable]), poolSize: 1 });
      await postgres.ping();
      await postgres.close();
    }
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').replaceAll('\\\n', '').split('\n');
  const instructions = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1).trim());
  /** Repository files that each stage copies. */
  const stages = lines
    .join('\n')
    .split(/^FROM /m)
    .slice(1)
    .map((stage) =>
      [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' ')),
    );

  test('uses the Node version of .node-version', () => {
    const major = read('.node-version').split('.')[0];
    const stages = instructions('FROM').flatMap((text) => / AS (\S+)$/.exec(text)?.[1] ?? []);
    const images = instructions('FROM')
      .map((text) => text.split(' ')[0] ?? '')
      .filter((image) => !stages.includes(image));
    expect(new Set(images)).toEqual(new Set([`node:${major}-slim`]));
  });

  test('copies only files that exist and are not in .dockerignore', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const source of stages.flat()) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(ignored, source).not.toContain(source);
    }
  });

  test('copies every workspace into the install and the runtime stage, with the files that npm and the API need', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    // Test workspaces are not part of the image.
    const folders = workspaces.map((pattern) => pattern.replace('/*', '')).filter((folder) => !/^tests/.test(folder));
    expect(stages.at(0)).toEqual(expect.arrayContaining([...folders, 'package.json', 'package-lock.json', '.npmrc']));
    expect(stages.findLast((sources) => sources.includes('CHANGELOG.md'))).toEqual(expect.arrayContaining(folders));
  });

  test('processes load without settings and fill the compile cache', () => {
    const commands = instructions('RUN').flatMap((run) => [...run.matchAll(/node (apps\/\S+) --load-only/g)]);
    expect(commands.length).toBeGreaterThan(0);
    const cache = mkdtempSync(join(tmpdir(), 'compile-cache-'));
    for (const [, main = ''] of commands) {
      const environment = { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(cache, main) };
      execFileSync(process.execPath, [join(root, main), '--load-only'], { env: environment });
      expect(readdirSync(join(cache, main), { recursive: true }).length).toBeGreaterThan(100);
    }
    rmSync(cache, { recursive: true });
  });

  test('.dockerignore excludes secrets and local build results', () => {
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.env', '.env.*', '.git', '.engines', '**/node_modules']),
    );
  });

  test('runs as an unprivileged user under an init process and starts the API', () => {
    // The backup image installs packages as root and then switches back.
    expect(instructions('USER')).toEqual(['node', 'root', 'node']);
    expect(instructions('ENTRYPOINT')).toEqual(['["tini", "--"]']);
    expect(JSON.parse(instructions('CMD').at(-1) as string)).toEqual(compose.services.api?.command);
  });

  test('every command in compose.yaml runs a workspace', () => {
    for (const [name, { command = [] }] of ours) {
      const [, app = ''] = /^(apps\/[a-z-]+)\/main\.ts$/.exec(command[1] ?? '') ?? [];
      expect(existsSync(join(root, app, 'package.json')), name).toBe(true);
    }
  });
});

/** Debian installs the programs of each version in a separate folder; elsewhere they are on the PATH. */
function newestPsql(): string {
  const home = '/usr/lib/postgresql';
  const versions = existsSync(home) ? readdirSync(home).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(home, version, 'bin/psql')).find((path) => existsSync(path)) ?? 'psql';
}
