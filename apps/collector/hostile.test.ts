import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bombBytes, growthDuring, makeBombs } from '@tributary/testkit/bombs';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type CollectorScene, openCollectorScene } from './collector.fixture.ts';

/** Attacks by a sender who has only the public tracking key, or not even that. */

let scene: CollectorScene;
beforeAll(async () => {
  scene = await openCollectorScene();
});
afterAll(() => scene.close());

const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

/** A connection that has sent only this text. */
async function openPartial(port: number, text: string): Promise<{ socket: Socket; readText: () => string }> {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return { socket, readText: () => received };
}

const writeHead = (address: string, length = 65_536) =>
  `POST /v1/visits HTTP/1.1\r\nHost: c\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${length}\r\n\r\n`;
const from = (address: string) => ({ 'x-forwarded-for': address });
const getResult = async (answer: Promise<Response>) => {
  const response = await answer;
  const body = response.status === 204 ? undefined : ((await response.json()) as Answered);
  return [response.status, body?.error.reason];
};

describe('a sender that announces bodies and sends nothing', () => {
  test('blocks no one: with 512 idle requests every honest visit is accepted', async () => {
    const { port } = scene.collector;
    await Promise.all(Array.from({ length: 512 }, (_, n) => openPartial(port, writeHead(`203.0.113.${n % 250}`))));
    await sleep(200);
    for (let n = 0; n < 20; n += 1) {
      const { envelope } = await scene.setUp();
      expect((await scene.post(envelope, from('198.51.100.1'))).status).toBe(204);
    }
  });

  test('has a limited number of slow bodies per address', async () => {
    const { port } = scene.collector;
    await Promise.all(Array.from({ length: 32 }, () => openPartial(port, writeHead('203.0.113.9'))));
    await sleep(500);
    const { readText } = await openPartial(port, writeHead('203.0.113.9'));
    await expect.poll(readText).toContain('"reason":"open_bodies"');
    const { envelope } = await scene.setUp();
    expect((await scene.post(envelope, from('203.0.113.9'))).status).toBe(204);
  });

  test('is disconnected after five seconds, in the headers or in the body', async () => {
    const { port } = scene.collector;
    const inBody = await openPartial(port, `${writeHead('203.0.113.10')}{"key":`);
    const inHeaders = await openPartial(port, 'POST /v1/visits HTTP/1.1\r\nHost: c\r\nX-');
    await Promise.all([once(inBody.socket, 'close'), once(inHeaders.socket, 'close')]);
    expect(inBody.readText()).toMatch(/^HTTP\/1\.1 429 .*"reason":"slow_body"/s);
  });

  test('is rate-limited before its body is read', async () => {
    const strict = await scene.open(scene.log.stream, { requestsPerMinute: 1 });
    const { envelope } = await scene.setUp();
    expect((await scene.post(envelope, from('203.0.113.11'), strict.url)).status).toBe(204);
    const { readText } = await openPartial(strict.port, writeHead('203.0.113.11'));
    await expect.poll(readText).toMatch(/^HTTP\/1\.1 429 (?!.*slow_body)/s);
    await strict.close();
  });
});

test('JSON nested 5,000 levels deep is rejected and does not use up the quota', async () => {
  const { envelope } = await scene.setUp({ dailyVisitQuota: 1 });
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const text = JSON.stringify(envelope).replace(/"visits":\[.*\]/, `"visits":[${deep}]`);
  expect((await scene.post(text)).status).toBe(400);
  expect((await scene.post(envelope)).status).toBe(204);
});

test('an IPv6 address counts as its network', async () => {
  const { envelope } = await scene.setUp();
  const strict = await scene.open(scene.log.stream, { requestsPerMinute: 2 });
  const send = async (address: string) => (await scene.post(envelope, from(address), strict.url)).status;
  expect(await send('2001:db8:1:2::1')).toBe(204);
  expect(await send('2001:db8:1:2:ffff::2')).toBe(204);
  expect(await send('2001:db8:1:2:abcd:ef01:2345:6789')).toBe(429);
  // The wider network has sixteen times the limit, shared by its networks.
  const answers: number[] = [];
  for (let network = 0; network < 40; network += 1)
    for (let n = 0; n < 2; n += 1) answers.push(await send(`2001:db8:1:${(0x10 + network).toString(16)}::${n}`));
  expect(answers.slice(0, 29)).not.toContain(429);
  expect(answers.slice(29)).toContain(429);
  expect(await send('2001:db8:2:2::1')).toBe(204);
  await strict.close();
});

describe('a sender that copies the public key', () => {
  test('cannot use up the daily quota with invalid visits', async () => {
    const { envelope } = await scene.setUp({ dailyVisitQuota: 100 });
    const zeros = (n: number) => ({ ...envelope, client_id: uuid(), visits: Array.from({ length: 50 }, () => n) });
    const answers: unknown[] = [];
    for (let n = 0; n < 8; n += 1) answers.push(await getResult(scene.post(zeros(n), from('203.0.113.20'))));
    // One address has a fifth of a thousand.
    expect(answers.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => [204, undefined]));
    expect(answers.slice(4)).toEqual(Array.from({ length: 4 }, () => [400, 'broken_quota']));
    expect((await scene.post(envelope, from('198.51.100.2'))).status).toBe(204);
    // Valid visits beside them are still accepted, and the invalid ones are counted.
    const mixed = { ...envelope, client_id: uuid(), visits: [0, scene.visit(), 1] };
    expect((await scene.post(mixed, from('203.0.113.20'))).status).toBe(204);
    expect(await scene.messageOf(mixed.client_id)).toMatchObject({ visits: [{}], broken: [] });
  });

  test('gets only a share of the daily quota per address, in visits and in bytes', async () => {
    const { envelope } = await scene.setUp({ dailyVisitQuota: 1_000 });
    const many = (count: number, more: object = {}) => ({
      ...envelope,
      client_id: uuid(),
      visits: Array.from({ length: count }, () => scene.visit()),
      ...more,
    });
    for (let n = 0; n < 4; n += 1) expect((await scene.post(many(50), from('203.0.113.30'))).status).toBe(204);
    expect(await getResult(scene.post(many(1), from('203.0.113.30')))).toEqual([429, 'address_quota']);
    const padded = () => many(1, { padding: 'x'.repeat(64_000) });
    const answers: unknown[] = [];
    // A fifth of 16 MiB.
    for (let n = 0; n < 60; n += 1) answers.push((await getResult(scene.post(padded(), from('203.0.113.31'))))[1]);
    expect(answers.filter((reason) => reason === undefined)).toHaveLength(52);
    expect(answers.at(-1)).toBe('address_quota');
    expect((await scene.post(many(50), from('198.51.100.3'))).status).toBe(204);
  });

  test('is counted, and the rejections are reported to the profile', async () => {
    const { profileId, envelope } = await scene.setUp({ dailyVisitQuota: 2 });
    const other = await scene.open(scene.log.stream);
    const send = (visits: unknown[]) => scene.post({ ...envelope, visits }, from('203.0.113.40'), other.url);
    expect((await send([scene.visit(), scene.visit()])).status).toBe(204);
    expect((await send([scene.visit(), scene.visit(), scene.visit()])).status).toBe(429);
    expect((await send([scene.visit()])).status).toBe(429);
    await other.close();
    expect(await scene.refusedOf(profileId)).toEqual({
      day: scene.kit.clock.now().toISOString().slice(0, 10),
      counts: { daily_quota: 4 },
    });
  });
});

test('a profile that requires consent accepts no visit without it', async () => {
  const { profileId, envelope } = await scene.setUp({ isConsentRequired: true });
  const other = await scene.open(scene.log.stream);
  expect(await getResult(scene.post(envelope, {}, other.url))).toEqual([403, 'consent']);
  expect(await getResult(scene.post({ ...envelope, consent: 'yes' }, {}, other.url))).toEqual([403, 'consent']);
  expect((await scene.post({ ...envelope, consent: true }, {}, other.url)).status).toBe(204);
  await other.close();
  expect(await scene.refusedOf(profileId)).toMatchObject({ counts: { consent: 2 } });
});

test('rejects a compressed body with 400 without decompressing it', async () => {
  const bombs = (await makeBombs()).filter(({ bytes }) => bytes.length < 65_536);
  expect(bombs.length).toBeGreaterThan(0);
  const growth = await growthDuring(async () => {
    for (const { encoding, bytes } of bombs) {
      const answer = await fetch(`${scene.collector.url}/v1/visits`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'content-encoding': encoding, ...from('198.51.100.77') },
        body: new Uint8Array(bytes),
      });
      expect([encoding, answer.status]).toEqual([encoding, 400]);
    }
  });
  expect(growth).toBeLessThan(bombBytes / 2);
});
