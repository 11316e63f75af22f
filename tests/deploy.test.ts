import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@tributary/config';
import { clickhouseGrants, freePort, Supervisor } from '@tributary/engines';
import { createPostgres, migrate } from '@tributary/postgres';
import { backupRole, roles } from '@tributary/postgres/roles.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { groups } from '../packages/config/settings.ts';

/** What can be known of the deployment files without a Docker engine, and more where its client is there. */
const root = join(import.meta.dirname, '..');
const reference = /\$\{(\w+)(:[-?][^}]*)?\}/g;
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly networks?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const written = parse(read('compose.yaml'), { merge: true }) as Compose;
const example = read('deploy/compose.env.example');
const settingNames = Object.values(groups).flatMap((group) => Object.values(group).map(({ variable }) => variable));
/** The variables that an operator has to fill in, each with a value that is as awkward as a generated one can be. */
const required = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name as string);
const filledIn: Record<string, string> = Object.fromEntries(
  required.map((name, index) => [
    name,
    name === 'ENCRYPTION_KEYS' ? `k1:${Buffer.alloc(32).toString('base64')}` : `12e4${index}`,
  ]),
);
const compose = interpolate(written, filledIn) as Compose;
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build !== undefined);
const engines = services.filter(([, service]) => service.build === undefined);

describe('compose.yaml', () => {
  test('runs our processes, backups and the demo when asked, and the four engines', () => {
    expect(ours.map(([name]) => name)).toEqual([
      'migrate',
      'backup',
      'api',
      'demo',
      'collector',
      'provider-webhooks',
      'worker',
    ]);
    expect(engines.map(([name]) => name)).toEqual(['postgres', 'clickhouse', 'nats', 'redis']);
  });

  test('the printed list of passwords has every required variable', () => {
    const [, printed = ''] = /for name in ([A-Z_ ]+);/.exec(example) ?? [];
    const names = [...printed.split(' ').map((name) => `${name}_PASSWORD`), 'ENCRYPTION_KEYS'];
    expect(names.sort()).toEqual([...required].sort());
  });

  test('every container has a memory and a process limit', () => {
    expect(services.filter(([, { mem_limit, pids_limit }]) => !mem_limit || !pids_limit)).toEqual([]);
  });

  test('what the internet reaches besides the API shares no network with ClickHouse, and every other process does', () => {
    expect(compose.services.clickhouse?.networks).toEqual(['analytics']);
    const apart = ours.filter(([, { networks }]) => !networks?.includes('analytics')).map(([name]) => name);
    expect(apart).toEqual(['collector', 'provider-webhooks']);
  });

  test('every variable is a setting or explained in the example, and the example explains no other', () => {
    const used = new Set(variables(written).map(({ name }) => name));
    const explained = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name as string);
    expect([...used].filter((name) => !explained.includes(name) && !settingNames.includes(name))).toEqual([]);
    expect(explained.filter((name) => !used.has(name))).toEqual([]);
  });

  test('a secret that is missing is named, and has no fallback that everybody knows', () => {
    const demanded = variables(written).filter(({ rule }) => rule.startsWith(':?'));
    expect(new Set(demanded.map(({ name }) => name))).toEqual(new Set(required));
    const secrets = variables(written).filter(({ name }) => /(PASSWORD|KEYS|SECRET|TOKEN)$/.test(name));
    // Of a provider that nobody set up it is empty, which is no secret that everybody knows.
    expect(secrets.filter(({ rule }) => !rule.startsWith(':?') && rule !== ':-')).toEqual([]);
  });

  test.each(ours)('%s is given settings that exist and are well formed', (_name, { environment }) => {
    expect(Object.keys(environment).filter((name) => !settingNames.includes(name))).toEqual([]);
    expect(() => loadSettings(environment)).not.toThrow();
  });

  test('each of our processes has the database roles it needs, and only migrations, backups and the demo, which serve nothing, have the owner', () => {
    const given = ours.map(([name, { environment }]) => [
      name,
      Object.keys(environment).filter((variable) => variable.startsWith('DATABASE_') && variable.endsWith('_URL')),
    ]);
    expect(Object.fromEntries(given)).toEqual({
      migrate: ['DATABASE_OWNER_URL'],
      backup: ['DATABASE_OWNER_URL', 'DATABASE_APP_URL', 'DATABASE_BACKUP_URL'],
      demo: ['DATABASE_OWNER_URL', 'DATABASE_APP_URL', 'DATABASE_SYSTEM_URL'],
      api: ['DATABASE_APP_URL'],
      collector: ['DATABASE_COLLECTOR_URL'],
      'provider-webhooks': ['DATABASE_COLLECTOR_URL'],
      worker: ['DATABASE_APP_URL', 'DATABASE_SYSTEM_URL'],
    });
  });

  test('each of our processes enters ClickHouse as the user it needs, and only migrations and the demo own the tables', () => {
    const given = ours.map(([name, { environment }]) => [
      name,
      environment.CLICKHOUSE_URL && new URL(environment.CLICKHOUSE_URL).username,
    ]);
    expect(Object.fromEntries(given)).toEqual({
      migrate: 'tributary',
      backup: 'tributary',
      demo: 'tributary',
      api: 'tributary_reader',
      collector: undefined,
      'provider-webhooks': undefined,
      worker: 'tributary_writer',
    });
    const users = read('deploy/clickhouse-users.xml');
    for (const [who, privileges] of Object.entries(clickhouseGrants)) {
      const [, own = ''] = new RegExp(`<tributary_${who}>([^]*)</tributary_${who}>`).exec(users) ?? [];
      expect([...own.matchAll(/<query>(.*)<\/query>/g)].map(([, query]) => query)).toEqual([
        `GRANT ${privileges} ON tributary.*`,
      ]);
    }
  });

  test('the collector has no key that opens anything, and no way to ClickHouse', () => {
    const given = Object.keys(compose.services.collector?.environment ?? {});
    expect(given.filter((name) => /ENCRYPTION|CLICKHOUSE/.test(name))).toEqual([]);
  });

  test('provider-webhooks knows what webhooks are signed with, and no secret of a client', () => {
    const given = Object.keys(compose.services['provider-webhooks']?.environment ?? {});
    expect(given.filter((name) => /CLIENT|TOKEN|SECRET|PUBLIC_KEY/.test(name))).toEqual([
      'HIGHLEVEL_WEBHOOK_PUBLIC_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'MERCADO_PAGO_WEBHOOK_SECRET',
      'FINTOC_WEBHOOK_SECRET',
    ]);
  });

  test('every setting can be set in .env, but for addresses and ports that compose.yaml itself decides and what production refuses', () => {
    const used = new Set(variables(ours.map(([name]) => written.services[name])).map(({ name }) => name));
    const decided =
      /^(HOST|PORT|COLLECTOR_PORT|PROVIDER_WEBHOOKS_PORT|DATABASE_\w+_URL|CLICKHOUSE_(URL|DATABASE)|NATS_URL|REDIS_URL|TEST_CLOCK)$/;
    expect(settingNames.filter((name) => !used.has(name) && !decided.test(name))).toEqual([]);
  });

  test.each(engines)('%s gives up what it does not need, and has bounds', (_name, engine) => {
    expect(engine).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], pids_limit: 4096 });
    expect(engine.mem_limit).toMatch(/^\d+[mg]$/);
    expect((engine.cap_add ?? []).filter((name) => !/^(CHOWN|DAC_OVERRIDE|FOWNER|SETGID|SETUID)$/.test(name))).toEqual(
      [],
    );
  });

  test("PostgreSQL's own log quotes no row", () => {
    expect(compose.services.postgres?.command).toEqual(['postgres', '-c', 'log_error_verbosity=terse']);
  });

  test('no password stands on a command line', () => {
    const lines = services.map(([, { command = [] }]) => command.join(' ')).join('\n');
    for (const password of Object.values(filledIn)) expect(lines).not.toContain(password);
  });

  const redisServer = spawnSync('sh', ['-c', 'command -v redis-server']).stdout.toString().trim();
  test.skipIf(!redisServer)(
    'Redis takes its settings from what the command pipes into it, with quotes and all',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'valkey-'));
      const port = await freePort();
      // The engine of the tests under the name of the one in the image, at a port of its own.
      const shim = `#!/bin/sh\n(cat; echo "port ${port}"; echo "dir ${folder}") | exec ${redisServer} "$@"\n`;
      writeFileSync(join(folder, 'valkey-server'), shim, { mode: 0o755 });
      const [program = '', ...args] = (compose.services.redis?.command ?? []).map((word) => word.replaceAll('$$', '$'));
      const environment = { REDISCLI_AUTH: '12e4a', PATH: `${folder}:${process.env.PATH}` };
      const server = spawn(program, args, { env: environment, detached: true, stdio: 'ignore' });
      try {
        const ask = (...words: string[]) =>
          spawnSync('redis-cli', ['-p', String(port), '--no-auth-warning', ...words], {
            encoding: 'utf8',
          }).stdout.trim();
        await expect.poll(() => ask('-a', '12e4a', 'ping')).toBe('PONG');
        expect(ask('ping')).toMatch(/NOAUTH/);
        expect(ask('-a', '12e4a', 'config', 'get', 'maxmemory-policy')).toContain('volatile-lru');
        expect(ask('-a', '12e4a', 'config', 'get', 'save')).toBe('save');
        const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
        expect(lines).not.toContain('requirepass 12e4a');
      } finally {
        process.kill(-(server.pid as number), 'SIGKILL');
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  test.each(ours)('%s waits for what it uses', (_name, { depends_on: dependencies = {} }) => {
    for (const [name, { condition }] of Object.entries(dependencies)) {
      expect(condition, name).toBe(name === 'migrate' ? 'service_completed_successfully' : 'service_healthy');
    }
    expect(Object.keys(dependencies)).not.toEqual([]);
  });

  test('nothing listens beyond this machine unless it is told to', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    expect(ports).not.toEqual([]);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test.each(engines)('%s is pinned to a version and says when it is ready', (_name, { image, healthcheck }) => {
    expect(image).toMatch(/:\d+(\.\d+)*(-[a-z]+)?$/);
    expect(healthcheck?.test?.[0]).toMatch(/^CMD(-SHELL)?$/);
  });

  test('what serves requests is asked for its health, and what serves none says so', () => {
    const asked = ours.map(([name, { healthcheck }]) => [name, healthcheck?.disable !== true]);
    expect(Object.fromEntries(asked)).toEqual({
      migrate: false,
      backup: false,
      demo: false,
      api: true,
      collector: true,
      'provider-webhooks': true,
      worker: false,
    });
    expect(read('Dockerfile')).toMatch(/^HEALTHCHECK [\s\S]*\/healthz/m);
  });

  test('data outlives its container, and every mounted file exists', () => {
    const mounts = services.flatMap(([, service]) => service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(new Set(mounts.filter((source) => !source.startsWith('./')))).toEqual(new Set(Object.keys(compose.volumes)));
    expect(Object.keys(compose.volumes)).toEqual(['postgres', 'clickhouse', 'nats', 'backups']);
    for (const source of mounts.filter((mount) => mount.startsWith('./')))
      expect(existsSync(join(root, source))).toBe(true);
  });

  const client = spawnSync('docker', ['compose', 'version']).status === 0;
  const config = (environment: Record<string, string>) =>
    spawnSync('docker', ['compose', '--env-file', '/dev/null', '--file', 'compose.yaml', 'config', '--quiet'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    });

  test.skipIf(!client)('the Docker client understands it, and refuses it while a secret is missing', () => {
    expect(config(filledIn)).toMatchObject({ status: 0, stderr: '' });
    for (const name of required) expect(config({ ...filledIn, [name]: '' }).stderr).toContain(`${name} is missing`);
  });
});

describe('deploy/nats.conf', () => {
  const server = join(root, '.engines/programs/nats/usr/sbin/nats-server');

  test('a message is acknowledged when it is on disk', () => {
    expect(read('deploy/nats.conf')).toMatch(/^jetstream \{[^}]*^ {2}sync_interval: always$/m);
  });

  test.skipIf(!existsSync(server))('the server takes it, whatever the password looks like', () => {
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
// The second opens what the first has made.
describe.skipIf(spawnSync(psql, ['--version']).status !== 0)('deploy/postgres-roles.sql', { shuffle: false }, () => {
  const supervisor = new Supervisor(`deploy-${process.pid}`);
  let server: URL;
  const inDatabase = (database: string, user = 'postgres', password = server.password) => {
    const url = new URL(server);
    [url.username, url.password, url.pathname] = [user, password, database];
    return url.href;
  };
  const ask = (query: string) =>
    execFileSync(psql, ['--no-psqlrc', '-v', 'ON_ERROR_STOP=1', '-Atc', query, inDatabase('postgres')], {
      encoding: 'utf8',
    });
  const facts = () =>
    ask(`SELECT rolname, rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication, rolinherit
         FROM pg_roles WHERE rolname !~ '^(pg_|postgres$)' ORDER BY 1`) +
    ask(`SELECT datname, pg_get_userbyid(datdba), datacl FROM pg_database WHERE datname = 'tributary'`);

  beforeAll(async () => {
    const { DATABASE_OWNER_URL } = await supervisor.start(['postgres']);
    server = new URL(DATABASE_OWNER_URL as string);
  });
  afterAll(() => supervisor.destroy());

  test('makes exactly what packages/postgres/roles.ts makes, and a second run changes nothing', () => {
    const furnished = facts();
    expect(furnished.split('\n').map((line) => line.split('|')[0])).toEqual([
      ...[...Object.values(roles), backupRole].toSorted(),
      'tributary',
      '',
    ]);
    ask('DROP DATABASE tributary');
    for (const role of [...Object.values(roles), backupRole]) ask(`DROP ROLE ${role}`);

    const run = () =>
      spawnSync(psql, ['--no-psqlrc', '--file', join(root, 'deploy/postgres-roles.sql'), inDatabase('postgres')], {
        encoding: 'utf8',
        env: { ...process.env, ...compose.services.postgres?.environment },
      });
    for (const turn of ['first', 'second']) {
      expect(run(), turn).toMatchObject({ status: 0, stderr: '' });
      expect(facts(), turn).toBe(furnished);
    }
  });

  test('the addresses in compose.yaml open it: the owner migrates, the others come in', async () => {
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
  /** What each stage takes from the repository. */
  const stages = lines
    .join('\n')
    .split(/^FROM /m)
    .slice(1)
    .map((stage) =>
      [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' ')),
    );

  test('runs the Node that .node-version names', () => {
    const major = read('.node-version').split('.')[0];
    const stages = instructions('FROM').flatMap((text) => / AS (\S+)$/.exec(text)?.[1] ?? []);
    const images = instructions('FROM')
      .map((text) => text.split(' ')[0] ?? '')
      .filter((image) => !stages.includes(image));
    expect(new Set(images)).toEqual(new Set([`node:${major}-slim`]));
  });

  test('copies what exists and what .dockerignore lets through', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const source of stages.flat()) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(ignored, source).not.toContain(source);
    }
  });

  test('copies every workspace twice, to install and to run, with what npm reads and what the API serves', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    // What only tests need is no part of it.
    const folders = workspaces.map((pattern) => pattern.replace('/*', '')).filter((folder) => !/^tests/.test(folder));
    expect(stages.at(0)).toEqual(expect.arrayContaining([...folders, 'package.json', 'package-lock.json', '.npmrc']));
    expect(stages.findLast((sources) => sources.includes('CHANGELOG.md'))).toEqual(expect.arrayContaining(folders));
  });

  test('the processes whose code it compiles load without settings, and leave it in the cache', () => {
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

  test('secrets and what was built or installed here stay out of it', () => {
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.env', '.env.*', '.git', '.engines', '**/node_modules']),
    );
  });

  test('runs as nobody special, under an init, and starts the API', () => {
    // The image of backups installs what it adds as root, and is nobody special again.
    expect(instructions('USER')).toEqual(['node', 'root', 'node']);
    expect(instructions('ENTRYPOINT')).toEqual(['["tini", "--"]']);
    expect(JSON.parse(instructions('CMD').at(-1) as string)).toEqual(compose.services.api?.command);
  });

  test('every process that it is told to run is a workspace of ours', () => {
    for (const [name, { command = [] }] of ours) {
      const [, app = ''] = /^(apps\/[a-z]+)\/main\.ts$/.exec(command[1] ?? '') ?? [];
      expect(existsSync(join(root, app, 'package.json')), name).toBe(true);
    }
  });
});

/** Debian keeps the programs of each version apart; elsewhere they are on the PATH. */
function newestPsql(): string {
  const home = '/usr/lib/postgresql';
  const versions = existsSync(home) ? readdirSync(home).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(home, version, 'bin/psql')).find((path) => existsSync(path)) ?? 'psql';
}

interface Variable {
  readonly name: string;
  /** `:-fallback`, `:?message`, or nothing. */
  readonly rule: string;
}

/** Every ${VARIABLE} in the values; those in comments are not used. */
function variables(value: unknown): Variable[] {
  if (typeof value === 'string') {
    return [...value.matchAll(reference)].map(([, name, rule = '']) => ({ name: name as string, rule }));
  }
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(variables) : [];
}

/** What the Docker client does with ${NAME}, ${NAME:-fallback} and ${NAME:?message}, in every value. */
function interpolate(value: unknown, environment: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(reference, (_, name: string, rule = '') => {
      const given = environment[name];
      if (!given && rule.startsWith(':?')) throw new Error(`${name} ${rule.slice(2)}`);
      return given || (rule.startsWith(':-') ? rule.slice(2) : '');
    });
  }
  if (Array.isArray(value)) return value.map((item) => interpolate(item, environment));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, environment)]));
}
