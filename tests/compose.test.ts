import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@tributary/config';
import { clickhouseGrants, freePort } from '@tributary/engines';
import { describe, expect, test } from 'vitest';
import {
  compose,
  engines,
  example,
  filledIn,
  ours,
  read,
  required,
  root,
  services,
  settingNames,
  variables,
  written,
} from './compose.fixture.ts';

describe('compose.yaml', () => {
  test('defines all processes, backups, the demo and the four engines', () => {
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

  test('the command that generates passwords includes every required variable', () => {
    const [, list = ''] = /for name in ([A-Z_ ]+);/.exec(example) ?? [];
    const names = [...list.split(' ').map((name) => `${name}_PASSWORD`), 'ENCRYPTION_KEYS'];
    expect(names.sort()).toEqual([...required].sort());
  });

  test('every container has a memory and a process limit', () => {
    expect(services.filter(([, { mem_limit, pids_limit }]) => !mem_limit || !pids_limit)).toEqual([]);
  });

  test('the collector and provider-webhooks share no network with ClickHouse; every other process does', () => {
    expect(compose.services.clickhouse?.networks).toEqual(['analytics']);
    const isolated = ours.filter(([, { networks }]) => !networks?.includes('analytics')).map(([name]) => name);
    expect(isolated).toEqual(['collector', 'provider-webhooks']);
  });

  test('every variable is a setting or documented in the example, and the example documents no others', () => {
    const used = new Set(variables(written).map(({ name }) => name));
    const explained = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name as string);
    expect([...used].filter((name) => !explained.includes(name) && !settingNames.includes(name))).toEqual([]);
    expect(explained.filter((name) => !used.has(name))).toEqual([]);
  });

  test('missing secrets are reported by name, and secrets have no public default', () => {
    const mandatory = variables(written).filter(({ rule }) => rule.startsWith(':?'));
    expect(new Set(mandatory.map(({ name }) => name))).toEqual(new Set(required));
    const secrets = variables(written).filter(({ name }) => /(PASSWORD|KEYS|SECRET|TOKEN)$/.test(name));
    // Secrets of unconfigured providers are empty.
    expect(secrets.filter(({ rule }) => !rule.startsWith(':?') && rule !== ':-')).toEqual([]);
  });

  test.each(ours)('%s gets only existing and valid settings', (_name, { environment }) => {
    expect(Object.keys(environment).filter((name) => !settingNames.includes(name))).toEqual([]);
    expect(() => loadSettings(environment)).not.toThrow();
  });

  test('each process gets only the database roles that it needs; only migrations, backups and the demo get the owner', () => {
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

  test('each process gets only the ClickHouse user that it needs; only migrations, backups and the demo get the owner', () => {
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

  test('the collector gets no encryption keys and no ClickHouse settings', () => {
    const given = Object.keys(compose.services.collector?.environment ?? {});
    expect(given.filter((name) => /ENCRYPTION|CLICKHOUSE/.test(name))).toEqual([]);
  });

  test('provider-webhooks gets the webhook secrets of providers and no OAuth client secrets', () => {
    const given = Object.keys(compose.services['provider-webhooks']?.environment ?? {});
    expect(given.filter((name) => /CLIENT|TOKEN|SECRET|PUBLIC_KEY/.test(name))).toEqual([
      'HIGHLEVEL_WEBHOOK_PUBLIC_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'MERCADO_PAGO_WEBHOOK_SECRET',
      'FINTOC_WEBHOOK_SECRET',
    ]);
  });

  test('every setting can be set in .env, except addresses and ports fixed in compose.yaml and test settings', () => {
    const used = new Set(variables(ours.map(([name]) => written.services[name])).map(({ name }) => name));
    const fixed =
      /^(HOST|PORT|COLLECTOR_PORT|PROVIDER_WEBHOOKS_PORT|DATABASE_\w+_URL|CLICKHOUSE_(URL|DATABASE)|NATS_URL|REDIS_URL|TEST_CLOCK)$/;
    expect(settingNames.filter((name) => !used.has(name) && !fixed.test(name))).toEqual([]);
  });

  test.each(engines)('%s drops unneeded capabilities and has resource limits', (_name, engine) => {
    expect(engine).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], pids_limit: 4096 });
    expect(engine.mem_limit).toMatch(/^\d+[mg]$/);
    expect((engine.cap_add ?? []).filter((name) => !/^(CHOWN|DAC_OVERRIDE|FOWNER|SETGID|SETUID)$/.test(name))).toEqual(
      [],
    );
  });

  test('the PostgreSQL log contains no row data', () => {
    expect(compose.services.postgres?.command).toEqual(['postgres', '-c', 'log_error_verbosity=terse']);
  });

  test('no password is on a command line', () => {
    const lines = services.map(([, { command = [] }]) => command.join(' ')).join('\n');
    for (const password of Object.values(filledIn)) expect(lines).not.toContain(password);
  });

  const redisServer = spawnSync('sh', ['-c', 'command -v redis-server']).stdout.toString().trim();
  test.skipIf(!redisServer)('Redis reads its settings from standard input, including quoted ones', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'valkey-'));
    const port = await freePort();
    // The redis-server of the tests under the name in the image, on a free port.
    const shim = `#!/bin/sh\n(cat; echo "port ${port}"; echo "dir ${folder}") | exec ${redisServer} "$@"\n`;
    writeFileSync(join(folder, 'valkey-server'), shim, { mode: 0o755 });
    const [program = '', ...args] = (compose.services.redis?.command ?? []).map((word) => word.replaceAll('$$', '$'));
    const environment = { REDISCLI_AUTH: '12e4a', PATH: `${folder}:${process.env.PATH}` };
    const server = spawn(program, args, { env: environment, detached: true, stdio: 'ignore' });
    try {
      const runCli = (...words: string[]) =>
        spawnSync('redis-cli', ['-p', String(port), '--no-auth-warning', ...words], {
          encoding: 'utf8',
        }).stdout.trim();
      await expect.poll(() => runCli('-a', '12e4a', 'ping')).toBe('PONG');
      expect(runCli('ping')).toMatch(/NOAUTH/);
      expect(runCli('-a', '12e4a', 'config', 'get', 'maxmemory-policy')).toContain('volatile-lru');
      expect(runCli('-a', '12e4a', 'config', 'get', 'save')).toBe('save');
      const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
      expect(lines).not.toContain('requirepass 12e4a');
    } finally {
      process.kill(-(server.pid as number), 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.each(ours)('%s waits for the services that it uses', (_name, { depends_on: dependencies = {} }) => {
    for (const [name, { condition }] of Object.entries(dependencies)) {
      expect(condition, name).toBe(name === 'migrate' ? 'service_completed_successfully' : 'service_healthy');
    }
    expect(Object.keys(dependencies)).not.toEqual([]);
  });

  test('all ports are published on localhost by default', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    expect(ports).not.toEqual([]);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test.each(engines)('%s is pinned to a version and has a health check', (_name, { image, healthcheck }) => {
    expect(image).toMatch(/:\d+(\.\d+)*(-[a-z]+)?$/);
    expect(healthcheck?.test?.[0]).toMatch(/^CMD(-SHELL)?$/);
  });

  test('processes that serve requests have a health check, and others disable it', () => {
    const checked = ours.map(([name, { healthcheck }]) => [name, healthcheck?.disable !== true]);
    expect(Object.fromEntries(checked)).toEqual({
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

  test('data is on named volumes, and every mounted file exists', () => {
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

  test.skipIf(!client)('docker compose accepts the file, and rejects it if a secret is missing', () => {
    expect(config(filledIn)).toMatchObject({ status: 0, stderr: '' });
    for (const name of required) expect(config({ ...filledIn, [name]: '' }).stderr).toContain(`${name} is missing`);
  });
});
