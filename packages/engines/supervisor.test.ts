import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Supervisor } from './index.ts';

/** Redis and NATS are quick to start; the drills break the other two. */
const supervisor = new Supervisor(`test-${randomBytes(4).toString('hex')}`);
afterAll(() => supervisor.destroy());

test('an engine is started, killed, started again, paused, resumed and stopped by name', async () => {
  const first = await supervisor.start(['redis', 'nats']);
  expect(first.REDIS_URL).toMatch(/^redis:\/\/:[\w-]{32}@127\.0\.0\.1:\d+$/);
  expect((await supervisor.status('nats')).version).toMatch(/^2\.1\d\.\d+$/);

  await supervisor.kill('redis');
  expect((await supervisor.status('redis')).state).toBe('stopped');
  expect((await supervisor.status('nats')).state).toBe('running');

  expect(await supervisor.start(['redis'])).toEqual({ REDIS_URL: first.REDIS_URL });

  supervisor.pause('redis');
  expect((await supervisor.status('redis')).state).toBe('silent');
  supervisor.resume('redis');
  expect((await supervisor.status('redis')).state).toBe('running');

  await supervisor.stop('redis');
  expect((await supervisor.status('redis')).state).toBe('stopped');
});

test('an engine that was killed comes back where everybody looks for it, even if its port is held a moment longer', async () => {
  const { NATS_URL = '' } = await supervisor.start(['nats']);
  await supervisor.kill('nats');
  // Nobody has the port once the kill is done: else this fails, and at once.
  const holder = createServer().listen(Number(new URL(NATS_URL).port), '127.0.0.1');
  await once(holder, 'listening');
  setTimeout(() => holder.close(), 700);
  expect(await supervisor.start(['nats'])).toEqual({ NATS_URL });
});

test('its data and its port are private to the set', async () => {
  const other = new Supervisor(`test-${randomBytes(4).toString('hex')}`);
  try {
    const [here, there] = [await supervisor.start(['redis']), await other.start(['redis'])];
    expect(here.REDIS_URL).not.toBe(there.REDIS_URL);
  } finally {
    await other.destroy();
  }
});

test('a port that somebody took meanwhile is left to them', async () => {
  const set = `test-${randomBytes(4).toString('hex')}`;
  const other = new Supervisor(set);
  const taker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taker.once('listening', resolve));
  const { port } = taker.address() as AddressInfo;
  const directory = join(import.meta.dirname, '../../.engines', set, 'nats');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'ports.json'), JSON.stringify({ main: port }));
  try {
    const { NATS_URL = '' } = await other.start(['nats']);
    expect(new URL(NATS_URL).port).not.toBe(String(port));
    expect((await other.status('nats')).state).toBe('running');
  } finally {
    taker.close();
    await other.destroy();
  }
});

test('nobody without the password of the set is let in, and nobody reads files through ClickHouse', async () => {
  const {
    REDIS_URL = '',
    NATS_URL = '',
    CLICKHOUSE_URL = '',
  } = await supervisor.start(['redis', 'nats', 'clickhouse']);
  const { origin, port, username, password } = new URL(CLICKHOUSE_URL);
  const ask = async (statement: string, headers: Record<string, string> = {}) =>
    (await fetch(origin, { method: 'POST', body: statement, headers })).text();
  // As a page of somebody else's would: no password, nothing that makes the browser ask first.
  const page = { origin: 'https://page.example', 'content-type': 'text/plain' };
  expect(await ask("SELECT * FROM file('/etc/hostname', 'LineAsString')", page)).toContain('ACCESS_DENIED');
  expect(await ask('SELECT name FROM system.databases', page)).not.toContain('default');
  const ours = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  expect(await ask('SELECT 1 + 1', ours)).toBe('2\n');
  expect(await ask("SELECT * FROM file('/etc/hostname', 'LineAsString')", ours)).toContain('ACCESS_DENIED');
  expect(await ask(`SELECT * FROM url('http://127.0.0.1:${port}/', 'LineAsString')`, ours)).toContain('ACCESS_DENIED');
  expect(await greet(REDIS_URL, 'PING\r\n')).toContain('NOAUTH');
  expect(await greet(NATS_URL, 'CONNECT {}\r\nPING\r\n')).toContain('Authorization Violation');
});

/** What an engine answers to whoever just connects and speaks. */
function greet(url: string, words: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(Number(port), hostname, () => socket.write(words));
    socket.on('data', (data) => {
      heard += data.toString();
      if (/NOAUTH|PONG|Violation/.test(heard)) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(heard));
  });
}
