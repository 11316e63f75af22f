import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Supervisor } from './index.ts';

/** Redis and NATS start quickly; the chaos tests break the other two. */
const supervisor = new Supervisor(`test-${randomBytes(4).toString('hex')}`);
afterAll(() => supervisor.destroy());

test('starts, kills, restarts, pauses, resumes and stops an engine by name', async () => {
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

test('restarts a killed engine on its port, even if the port is occupied a moment longer', async () => {
  const { NATS_URL = '' } = await supervisor.start(['nats']);
  await supervisor.kill('nats');
  // The port is free once the kill is done; otherwise this fails at once.
  const holder = createServer().listen(Number(new URL(NATS_URL).port), '127.0.0.1');
  await once(holder, 'listening');
  setTimeout(() => holder.close(), 700);
  expect(await supervisor.start(['nats'])).toEqual({ NATS_URL });
});

test('data and ports are private to a set', async () => {
  const other = new Supervisor(`test-${randomBytes(4).toString('hex')}`);
  try {
    const [here, there] = [await supervisor.start(['redis']), await other.start(['redis'])];
    expect(here.REDIS_URL).not.toBe(there.REDIS_URL);
  } finally {
    await other.destroy();
  }
});

test('chooses another port if the stored one is occupied by another process', async () => {
  const set = `test-${randomBytes(4).toString('hex')}`;
  const other = new Supervisor(set);
  const occupant = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => occupant.once('listening', resolve));
  const { port } = occupant.address() as AddressInfo;
  const directory = join(import.meta.dirname, '../../.engines', set, 'nats');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'ports.json'), JSON.stringify({ main: port }));
  try {
    const { NATS_URL = '' } = await other.start(['nats']);
    expect(new URL(NATS_URL).port).not.toBe(String(port));
    expect((await other.status('nats')).state).toBe('running');
  } finally {
    occupant.close();
    await other.destroy();
  }
});

test('engines reject clients without the set’s password, and ClickHouse cannot read files', async () => {
  const {
    REDIS_URL = '',
    NATS_URL = '',
    CLICKHOUSE_URL = '',
  } = await supervisor.start(['redis', 'nats', 'clickhouse']);
  const { origin, port, username, password } = new URL(CLICKHOUSE_URL);
  const query = async (statement: string, headers: Record<string, string> = {}) =>
    (await fetch(origin, { method: 'POST', body: statement, headers })).text();
  // Like a foreign web page: no password, and nothing that triggers a CORS preflight.
  const page = { origin: 'https://page.example', 'content-type': 'text/plain' };
  expect(await query("SELECT * FROM file('/etc/hostname', 'LineAsString')", page)).toContain('ACCESS_DENIED');
  expect(await query('SELECT name FROM system.databases', page)).not.toContain('default');
  const credentials = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  expect(await query('SELECT 1 + 1', credentials)).toBe('2\n');
  expect(await query("SELECT * FROM file('/etc/hostname', 'LineAsString')", credentials)).toContain('ACCESS_DENIED');
  expect(await query(`SELECT * FROM url('http://127.0.0.1:${port}/', 'LineAsString')`, credentials)).toContain(
    'ACCESS_DENIED',
  );
  expect(await readReply(REDIS_URL, 'PING\r\n')).toContain('NOAUTH');
  expect(await readReply(NATS_URL, 'CONNECT {}\r\nPING\r\n')).toContain('Authorization Violation');
});

/** What an engine replies to a client without credentials. */
function readReply(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (data) => {
      received += data.toString();
      if (/NOAUTH|PONG|Violation/.test(received)) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(received));
  });
}
