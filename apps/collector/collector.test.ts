import { createRedis } from '@tributary/redis';
import { testVault } from '@tributary/testkit';
import { type FlakyLine, openFlakyProxy, openPrivateStream } from '@tributary/testkit/stream';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type CollectorScene, openCollectorScene } from './collector.fixture.ts';
import { openPlaceFile } from './place-file.fixture.ts';

let scene: CollectorScene;
let url: string;
beforeAll(async () => {
  scene = await openCollectorScene();
  url = scene.collector.url;
});
afterAll(() => scene.close());

const post: CollectorScene['post'] = (...request) => scene.post(...request);
const setUp: CollectorScene['setUp'] = (...traits) => scene.setUp(...traits);
const open: CollectorScene['open'] = (...how) => scene.open(...how);
const visit: CollectorScene['visit'] = (...changes) => scene.visit(...changes);
const messageOf: CollectorScene['messageOf'] = (clientId) => scene.messageOf(clientId);

describe('204', () => {
  test('is returned when the stream has stored the visits, with location and agent but no identity', async () => {
    const { profileId, envelope } = await setUp();
    const agent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
    const answer = await post(envelope, { 'x-forwarded-for': '200.1.123.1', 'user-agent': agent });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const message = await messageOf(envelope.client_id);
    expect(message).toMatchObject({
      v: 1,
      profile_id: profileId,
      country: 'CL',
      user_agent: { browser: 'Safari', os: 'iOS', device: 'mobile', is_bot: false },
      received_at: scene.kit.clock.now().toISOString(),
      visits: [{ id: envelope.visits[0]?.id, type: 'page_view' }],
      broken: [],
    });
    expect(JSON.stringify(message)).not.toContain('200.1.123.1');
    expect(JSON.stringify(message)).not.toContain('605.1');
  });

  test('traits, tokens, properties and click ids cross the stream encrypted only', async () => {
    const { profileId, envelope } = await setUp();
    const secret = 'ada.lovelace@example.com';
    envelope.visits = [
      visit({ type: 'identify', traits: { email: secret }, link_token: 'tokentokentokentoken' }),
      visit({ type: 'track', name: 'lead_created', properties: { note: secret } }),
      visit({
        url: `https://shop.example/?gclid=Cj0KCQjw-secret-click&email=${secret}`,
        referrer: `https://shop.example/u/${secret}`,
      }),
      { ...visit(), type: 'unheard of', url: secret },
      visit({ type: 'track', name: `mailed ${secret}`, url: 'https://shop.example/?external_id=lovelace-42' }),
    ];
    expect((await post(envelope)).status).toBe(204);
    const message = await messageOf(envelope.client_id);
    const text = JSON.stringify(message);
    for (const word of ['ada.', 'lovelace', 'secret-click', 'tokentoken']) expect(text).not.toContain(word);
    const place = { table: 'stream', column: 'visits', row: envelope.client_id, profileId };
    const opened = JSON.parse(testVault.open(Buffer.from(message.sealed as string, 'base64'), place));
    const [first, second, third] = envelope.visits.map(({ id }) => opened[id as string]);
    expect(first).toEqual({ traits: { email: secret }, link_token: 'tokentokentokentoken' });
    expect(second).toEqual({ properties: { note: secret } });
    expect(third).toEqual({ click_ids: { gclid: 'Cj0KCQjw-secret-click' } });
    const [broken] = message.broken;
    expect(broken?.reason).toBe('bad_type');
    expect(JSON.parse(testVault.open(Buffer.from(broken?.sealed as string, 'base64'), place))).toEqual(
      envelope.visits[3],
    );
  });

  test('an invalid visit does not reject its request', async () => {
    const { envelope } = await setUp();
    envelope.visits = [null, visit({ at: 'yesterday' }), visit({ at: '2026-06-15T12:06:00.000Z' }), visit()] as never;
    expect((await post(envelope)).status).toBe(204);
    const message = await messageOf(envelope.client_id);
    expect(message.visits).toHaveLength(1);
    expect(message.broken.map(({ reason }) => reason)).toEqual(['not_an_object', 'bad_time', 'clock_ahead']);
  });

  test('a repeated request is one message', async () => {
    const { envelope } = await setUp();
    const before = (await scene.log.stream.extent()).held;
    for (let time = 0; time < 3; time += 1) expect((await post(envelope)).status).toBe(204);
    expect((await scene.log.stream.extent()).held).toBe(before + 1);
  });

  test('concurrent requests share messages, and each is answered when its own is stored', async () => {
    const before = (await scene.log.stream.extent()).held;
    const { envelope } = await setUp();
    const many = Array.from({ length: 60 }, () => ({ ...envelope, client_id: uuid(), visits: [visit()] }));
    const answers = await Promise.all(many.map((each) => post(each)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect((await scene.log.stream.extent()).held - before).toBeLessThan(60);
    for (const { client_id, visits } of many)
      expect((await messageOf(client_id)).visits.map(({ id }) => id)).toEqual(visits.map(({ id }) => id));
  });

  test('the city is included only if the profile keeps cities', async () => {
    const places = await openPlaceFile({ country_code: 'CL', city: 'Santiago' });
    const withCities = await open(scene.log.stream, { geoDatabaseFile: places.path });
    try {
      for (const [keepsCity, city] of [
        [true, 'Santiago'],
        [false, ''],
      ] as const) {
        const { envelope } = await setUp({ keepsCity });
        expect((await post(envelope, {}, withCities.url)).status).toBe(204);
        expect(await messageOf(envelope.client_id)).toMatchObject({ country: 'CL', city });
      }
    } finally {
      await withCities.close();
      await places.remove();
    }
  });

  test('a bot is marked but not rejected', async () => {
    const { envelope } = await setUp();
    await post(envelope, { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' });
    expect((await messageOf(envelope.client_id)).user_agent.is_bot).toBe(true);
  });
});

describe('400', () => {
  test.each([
    ['no JSON', '{"key":'],
    ['no object', '[]'],
    ['no visits', { visits: [] }],
    ['51 visits', { visits: Array.from({ length: 51 }, () => ({})) }],
    ['no client id', { client_id: 'me' }],
  ])('%s', async (_name, change) => {
    const { envelope } = await setUp();
    const answer = await post(
      typeof change === 'string' ? change : Array.isArray(change) ? [] : { ...envelope, ...change },
    );
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as Answered).error).toMatchObject({
      code: 'invalid_request',
      request_id: expect.stringMatching(/^req_/),
    });
  });
});

describe('401', () => {
  test('for a key that is unknown, malformed or revoked', async () => {
    const { profileId, keyId, envelope } = await setUp();
    expect((await post({ ...envelope, key: `trk_${'x'.repeat(22)}` })).status).toBe(401);
    expect((await post({ ...envelope, key: 'trk_1' })).status).toBe(401);
    await scene.kit.app
      .forProfile(profileId)
      .transaction((tx) =>
        tx.updateTable('tracking_keys').set({ revoked_at: new Date() }).where('id', '=', keyId).execute(),
      );
    expect((await post(envelope)).status).toBe(401);
  });
});

describe('403', () => {
  test('for an origin outside the allowed hosts, but not for their subdomains', async () => {
    const { envelope } = await setUp({ allowedHosts: ['shop.example'] });
    expect((await post(envelope, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(envelope, { origin: 'https://evilshop.example' })).status).toBe(403);
    expect((await post(envelope)).status).toBe(403);
    expect((await post(envelope, { origin: 'null' })).status).toBe(403);
    expect((await post(envelope, { origin: 'https://shop.example' })).status).toBe(204);
    expect((await post(envelope, { origin: 'https://WWW.shop.example:8443' })).status).toBe(204);
  });
});

describe('413', () => {
  test('for a body over 64 KiB, with or without Content-Length', async () => {
    const { envelope } = await setUp();
    const large = JSON.stringify({ ...envelope, more: 'x'.repeat(65 * 1024) });
    expect((await post(large)).status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(large));
        controller.close();
      },
    });
    const chunked = await fetch(`${url}/v1/visits`, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
    expect(chunked.status).toBe(413);
  });
});

describe('429', () => {
  test("for more visits a day than the profile's quota", async () => {
    const { envelope } = await setUp({ dailyVisitQuota: 3 });
    const send = () => post({ ...envelope, visits: [visit(), visit()] });
    expect((await send()).status).toBe(204);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(((await refused.json()) as Answered).error.reason).toBe('daily_quota');
    scene.kit.clock.advance(24 * 60 * 60_000);
    expect((await send()).status).toBe(204);
  });

  test('the quota counts over all collectors', async () => {
    const { envelope } = await setUp({ dailyVisitQuota: 12 });
    const other = await open(scene.log.stream);
    const { url: otherUrl } = other;
    const send = async (to: string) => (await post({ ...envelope, visits: [visit()] }, {}, to)).status;
    for (let n = 0; n < 11; n += 1) expect(await send(otherUrl)).toBe(204);
    expect(await send(url)).toBe(204);
    // Collectors synchronise about every second; alone, this one would accept eleven more.
    const answers: number[] = [];
    while (answers.at(-1) !== 429 && answers.length < 8) {
      await new Promise((resolve) => setTimeout(resolve, 600));
      answers.push(await send(url));
    }
    expect(answers.at(-1)).toBe(429);
    await other.close();
  });

  test('for more requests than an address may send, without affecting others', async () => {
    const { envelope } = await setUp();
    const strict = await open(scene.log.stream, { requestsPerMinute: 2 });
    const { url: to } = strict;
    const send = (address: string) => post(envelope, { 'x-forwarded-for': address }, to);
    expect([(await send('198.51.100.7')).status, (await send('198.51.100.7')).status]).toEqual([204, 204]);
    const refused = await send('198.51.100.7');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send('198.51.100.8')).status).toBe(204);
    await strict.close();
  });
});

describe('while an engine is down', () => {
  let line: FlakyLine;
  beforeAll(async () => {
    line = await openFlakyProxy();
  });
  afterAll(() => line.close());

  test("without the stream, visits are rejected within the browser's timeout, and accepted again afterwards", async () => {
    // Enough for the accepted visits: rejected ones do not count.
    const { envelope } = await setUp({ dailyVisitQuota: 2 });
    const stream = await scene.log.another({ url: line.url });
    const cut = await open(stream);
    const { url: to } = cut;
    expect((await post(envelope, {}, to)).status).toBe(204);
    line.cut();
    const startedAt = performance.now();
    const refused = await post({ ...envelope, visits: [visit()] }, {}, to);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect((await fetch(`${to}/readyz`)).status).toBe(503);
    line.mend();
    await expect.poll(async () => (await post({ ...envelope, visits: [visit()] }, {}, to)).status).toBe(204);
    await cut.close();
  });

  test('requests that wait for the stream are limited; further ones are rejected at once', async () => {
    const { envelope } = await setUp();
    const stuck = await open(await scene.log.another({ url: line.url }), { maxHeldBytes: 1_000 });
    const { url: to } = stuck;
    const send = () => post({ ...envelope, visits: [visit()] }, {}, to);
    expect((await send()).status).toBe(204);
    line.deafen();
    const waiting = [send(), send()];
    const startedAt = performance.now();
    await expect.poll(async () => (await send()).status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    line.mend();
    await Promise.all(waiting);
    await stuck.close();
  });

  test('without Redis each collector limits on its own', async () => {
    const { envelope } = await setUp();
    const gone = createRedis({ url: 'redis://127.0.0.1:1', prefix: 'gone' });
    const withoutRedis = await open(scene.log.stream, { redis: gone });
    const { url: to } = withoutRedis;
    expect((await post(envelope, {}, to)).status).toBe(204);
    await withoutRedis.close();
    gone.disconnect();
  });
});

test('answers a preflight request for any origin', async () => {
  const answer = await fetch(`${url}/v1/visits`, { method: 'OPTIONS', headers: { origin: 'https://shop.example' } });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
  expect(answer.headers.get('access-control-allow-headers')).toBe('content-type');
});

test('/healthz and /readyz report the status, and other paths are 404', async () => {
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
    status: 'ready',
    engines: { nats: 'up', postgres: 'up', redis: 'up', clock: 'up', clock_exact: 'up' },
    log_fill: 0,
  });
  expect((await fetch(`${url}/v1/visits`)).status).toBe(404);
});

test('while stopping, it still accepts visits, reports "stopping" and closes connections', async () => {
  const stoppingCollector = await open(scene.log.stream, { isStopping: () => true });
  try {
    const { envelope } = await setUp();
    const accepted = await post(envelope, {}, stoppingCollector.url);
    expect([accepted.status, accepted.headers.get('connection')]).toEqual([204, 'close']);
    expect((await fetch(`${stoppingCollector.url}/readyz`)).status).toBe(503);
  } finally {
    await stoppingCollector.close();
  }
});

test('/readyz returns 503 after the visit stream rejected a message, until it accepts one again', async () => {
  const small = await openPrivateStream({ maxBytes: 200_000 });
  const almostFull = await open(small.stream);
  const ready = async () => (await fetch(`${almostFull.url}/readyz`)).status;
  const send = (bytes: number) =>
    small.stream.publish([{ id: uuid(), key: 'x', payload: Buffer.alloc(bytes) }], { deadlineMs: 200 });
  expect(await ready()).toBe(200);
  // The stream is not full, but this message does not fit.
  await expect(send(250_000)).rejects.toThrow();
  await expect.poll(ready, { timeout: 5_000 }).toBe(503);
  await send(1_000);
  await expect.poll(ready, { timeout: 5_000 }).toBe(200);
  await almostFull.close();
  await small.destroy();
});

test('/readyz reports the fill level of the stream before it is full', async () => {
  const small = await openPrivateStream({ maxBytes: 200_000 });
  const almostFull = await open(small.stream);
  const ready = async () => {
    const answer = await fetch(`${almostFull.url}/readyz`);
    return [answer.status, ((await answer.json()) as { status: string }).status];
  };
  const fill = (bytes: number) => small.stream.publish([{ id: uuid(), key: 'x', payload: Buffer.alloc(bytes) }]);
  expect(await ready()).toEqual([200, 'ready']);
  await fill(170_000);
  await expect.poll(ready, { timeout: 5_000 }).toEqual([200, 'degraded']);
  await fill(27_000);
  await expect.poll(ready, { timeout: 5_000 }).toEqual([503, 'not ready']);
  await almostFull.close();
  await small.destroy();
});

test('log lines contain nothing that was sent', () => {
  const text = scene.logLines.join('');
  for (const word of ['lovelace', 'secret-click', 'trk_', '200.1.123.1']) expect(text).not.toContain(word);
});
