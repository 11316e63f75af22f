import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { testVault } from '@tributary/testkit';
import { eventually } from '@tributary/testkit/stream';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWebhookServer, orderOf, signed, signedByStripe } from './webhooks.fixture.ts';

let scene: Awaited<ReturnType<typeof openWebhookServer>>;
beforeAll(async () => {
  scene = await openWebhookServer();
});
afterAll(() => scene.close());

const post = (sent: RequestInit, path = '/hooks/store', url = scene.url) => fetch(url + path, sent);
const statusOf = async (sent: RequestInit, path?: string) => (await post(sent, path)).status;

/** Runs a worker until both streams are empty. */
async function applyAll(): Promise<void> {
  const worker = await scene.startWorker();
  await eventually(async () => (await scene.waiting()).every((count) => count === 0));
  await worker.stop();
}

test('returns 204 once a signed webhook is stored encrypted, and the worker records it', async () => {
  const store = await scene.connectStore();
  expect(await statusOf(signed(store, orderOf(1001)))).toBe(204);
  expect(await scene.waiting()).toEqual([1, 0]);
  const texts = [...(await scene.log.texts()).values()].flat().join('\n');
  expect(texts).toContain('Channel');
  expect(texts).not.toMatch(/buyer-1001|19990|myshopify|hmac/);
  expect(await scene.orders(store.profileId)).toEqual([]);
  await applyAll();
  expect(await scene.orders(store.profileId)).toEqual(['1001']);
});

test.each([
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['POST', '/hooks/payments_a'],
  ['POST', '/hooks/nothing'],
  ['GET', '/'],
])('%s %s tells browsers not to guess the type, cache or share the response', async (method, path) => {
  const { headers } = await post({ method }, path);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect(headers.get('server') ?? headers.get('x-powered-by')).toBeNull();
});

test('a webhook that is delivered and applied several times is recorded once', async () => {
  const store = await scene.connectStore();
  const sent = signed(store, orderOf(1002));
  expect(await Promise.all([statusOf(sent), statusOf(sent), statusOf(sent)])).toEqual([204, 204, 204]);
  await applyAll();
  expect(await scene.orders(store.profileId)).toEqual(['1002']);
});

test('returns 401 for a wrong signature or unknown account and 404 for an unknown provider, and stores nothing', async () => {
  const store = await scene.connectStore();
  const forged = signed({ ...store, secret: 'another' }, orderOf(1003));
  expect(await statusOf(forged)).toBe(401);
  expect(await statusOf(signed({ ...store, domain: 'unconnected.myshopify.com' }, orderOf(1003)))).toBe(401);
  expect(await statusOf(signed({ ...store, domain: `${'a'.repeat(300)}.myshopify.com` }, orderOf(1003)))).toBe(401);
  expect(await statusOf(signed(store, orderOf(1003), { 'x-shopify-shop-domain': '' }))).toBe(401);
  expect(await statusOf(signed(store, orderOf(1003)), '/hooks/chatbot')).toBe(404);
  expect(await statusOf(signed(store, orderOf(1003)), '/hooks/nothing')).toBe(404);
  expect((await fetch(`${scene.url}/hooks/store`)).status).toBe(404);
  expect(await scene.waiting()).toEqual([0, 0]);
  const text = await scene.metrics.text();
  expect(text).toMatch(/tributary_provider_webhooks_refused_total\{channel="store",status="401"\} 4/);
});

test('a changed secret is used within a second', async () => {
  const store = await scene.connectStore();
  expect(await statusOf(signed(store, orderOf(1004)))).toBe(204);
  const credentials = JSON.stringify({ webhookSecret: 'new', accessToken: null });
  const place = { table: 'connections', column: 'credentials', row: store.id, profileId: store.profileId };
  await scene.kit.owner.unbound.query(
    sql`UPDATE connections SET credentials = ${testVault.seal(credentials, place)} WHERE id = ${store.id}`,
  );
  await sleep(1_050);
  expect(await statusOf(signed({ ...store, secret: 'new' }, orderOf(1005)))).toBe(204);
  expect(await statusOf(signed(store, orderOf(1006)))).toBe(401);
  await applyAll();
  // The worker verifies with the current secret, so it drops and counts the first webhook.
  expect(await scene.orders(store.profileId)).toEqual(['1005']);
  expect(scene.dropped.splice(0)).toEqual(['store']);
});

test('a provider with one secret needs no lookup, and its timestamped signature stays valid when applied late', async () => {
  const connectionId = await scene.connectStripe('acct_late');
  const body = JSON.stringify({ id: 'evt_1', type: 'charge.succeeded', account: 'acct_late' });
  const sent = signedByStripe(body, scene.kit.clock.now());
  scene.ledgerLine.cut();
  try {
    expect(await statusOf(sent, '/hooks/payments_a')).toBe(204);
    expect(await statusOf({ ...sent, body: `${body} ` }, '/hooks/payments_a')).toBe(401);
    expect(await scene.waiting()).toEqual([1, 0]);
  } finally {
    scene.ledgerLine.mend();
  }
  scene.kit.clock.advance(3_600_000);
  expect(await statusOf(sent, '/hooks/payments_a')).toBe(401);
  await applyAll();
  const { rows } = await scene.kit.owner.unbound.query(
    sql<{ state: string }>`SELECT state FROM syncs WHERE connection_id = ${connectionId}`,
  );
  expect(rows).toEqual([{ state: 'queued' }]);
});

describe('size limits', () => {
  test('accepts 2 MiB that do not compress, and returns 413 for one byte more', async () => {
    const store = await scene.connectStore();
    const head = orderOf(1007, { note: '' }).slice(0, -2);
    const noteLength = limits.providerWebhooks.bytes - head.length - 2;
    const body = `${head}${randomBytes(noteLength).toString('base64url').slice(0, noteLength)}"}`;
    expect(Buffer.byteLength(body)).toBe(limits.providerWebhooks.bytes);
    expect(await statusOf(signed(store, body))).toBe(204);
    expect(await statusOf(signed(store, `${body} `))).toBe(413);
    await applyAll();
    expect(await scene.orders(store.profileId)).toEqual(['1007']);
  });

  test('with a smaller message limit in NATS, accepts a webhook that compresses below it and returns 413 for others', async () => {
    const stream = await scene.log.another({ maxWorkMessageBytes: 100_000 });
    const app = await scene.open({ stream });
    const store = await scene.connectStore();
    const compressible = orderOf(1008, { note: 'word '.repeat(200_000) });
    const random = orderOf(1009, { note: randomBytes(200_000).toString('base64') });
    expect((await post(signed(store, compressible), '/hooks/store', app.url)).status).toBe(204);
    expect((await post(signed(store, random), '/hooks/store', app.url)).status).toBe(413);
    await app.close();
    await applyAll();
    expect(await scene.orders(store.profileId)).toEqual(['1008']);
  });
});

describe('while PostgreSQL is unavailable', () => {
  const whileUnavailable = async (work: () => Promise<void>) => {
    scene.ledgerLine.cut();
    try {
      await work();
    } finally {
      scene.ledgerLine.mend();
    }
  };

  test('verifies with cached secrets, stores other webhooks unverified, and the worker drops forged ones', async () => {
    const [cached, uncached] = [await scene.connectStore(), await scene.connectStore()];
    expect(await statusOf(signed(cached, orderOf(1)))).toBe(204);
    const other = await scene.open();
    await whileUnavailable(async () => {
      expect(await statusOf(signed(cached, orderOf(2)))).toBe(204);
      expect(await statusOf(signed({ ...cached, secret: 'forged' }, orderOf(3)))).toBe(401);
      expect(await scene.waiting()).toEqual([2, 0]);
      expect((await post(signed(uncached, orderOf(4)), '/hooks/store', other.url)).status).toBe(204);
      expect(
        (await post(signed({ ...uncached, secret: 'forged' }, orderOf(5)), '/hooks/store', other.url)).status,
      ).toBe(204);
      expect(await scene.waiting()).toEqual([2, 2]);
    });
    await other.close();
    await applyAll();
    expect(await scene.orders(cached.profileId)).toEqual(['1', '2']);
    expect(await scene.orders(uncached.profileId)).toEqual(['4']);
    expect(scene.dropped.splice(0)).toEqual(['store']);
    expect(await scene.metrics.text()).toMatch(
      /tributary_provider_webhooks_total\{channel="store",verified="false"\} 2/,
    );
  });

  test('returns 503 with Retry-After when the unverified stream is full, and still accepts verified webhooks', async () => {
    const [busy, cached] = [await scene.connectStore(), await scene.connectStore()];
    const app = await scene.open();
    let stored = 0;
    expect((await post(signed(cached, orderOf(6)), '/hooks/store', app.url)).status).toBe(204);
    await whileUnavailable(async () => {
      const randomBody = () => randomBytes(1_200_000).toString('base64url');
      const responses: Response[] = [];
      const forged = { ...busy, secret: 'another' };
      while (responses.length < 12 && (responses.at(-1)?.status ?? 204) === 204)
        responses.push(await post(signed(forged, randomBody()), '/hooks/store', app.url));
      const last = responses.pop();
      expect(responses.length).toBeGreaterThan(3);
      stored = responses.length;
      expect([last?.status, last?.headers.get('retry-after')]).toEqual([503, '30']);
      expect((await post(signed(cached, orderOf(7)), '/hooks/store', app.url)).status).toBe(204);
    });
    await app.close();
    await applyAll();
    expect(await scene.orders(cached.profileId)).toEqual(['6', '7']);
    expect(scene.dropped.splice(0)).toHaveLength(stored);
  });
});

test('returns 503 with Retry-After at once while NATS is unavailable, and 204 afterwards', async () => {
  const store = await scene.connectStore();
  scene.natsLine.cut();
  try {
    await eventually(async () => (await statusOf(signed(store, orderOf(1010)))) === 503);
    const startedAt = performance.now();
    const response = await post(signed(store, orderOf(1010)));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect((await fetch(`${scene.url}/readyz`)).status).toBe(503);
  } finally {
    scene.natsLine.mend();
  }
  await eventually(async () => (await statusOf(signed(store, orderOf(1010)))) === 204, 10_000);
  await applyAll();
  expect(await scene.orders(store.profileId)).toEqual(['1010']);
});

test('limits the bytes per address and minute by Content-Length', async () => {
  const store = await scene.connectStore();
  const app = await scene.open();
  const { headers } = signed(store, '{}', { 'x-forwarded-for': '203.0.113.44', 'content-length': '2097152' });
  const statuses = new Set<number>();
  for (let sent = 0; sent < 1_280 && !statuses.has(429); sent += 128) {
    const some = Array.from({ length: 128 }, () => sendHeaders(app.url, headers));
    for (const status of await Promise.all(some)) statuses.add(status);
  }
  expect(statuses).toEqual(new Set([0, 429]));
  const other = signed(store, orderOf(1011), { 'x-forwarded-for': '203.0.113.45' });
  expect((await post(other, '/hooks/store', app.url)).status).toBe(204);
  await app.close();
  await applyAll();
});

/** Sends headers without a body. Resolves to the status, or to 0 if the server is ready to read the body. */
function sendHeaders(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    const options = { method: 'POST', headers: { ...headers, expect: '100-continue' }, agent: false } as const;
    const sent = request(`${url}/hooks/store`, options);
    const end = (status: number) => {
      sent.destroy();
      resolve(status);
    };
    // Node sends 100 Continue before the rate limit is checked.
    sent.once('continue', () => setTimeout(() => end(0), 50));
    sent.once('response', ({ statusCode = 0 }) => end(statusCode));
    sent.once('error', () => resolve(0));
    sent.flushHeaders();
  });
}

test('content that cannot be recorded becomes a dead letter with a reason, and can be replayed', async () => {
  const store = await scene.connectStore();
  expect(await statusOf(signed(store, '{"id":'))).toBe(204);
  expect(await statusOf(signed(store, orderOf(1012, { currency: 'nothing' })))).toBe(204);
  const before = await scene.log.stream.deadLetters.count();
  await applyAll();
  const { letters } = await scene.log.stream.deadLetters.list({ after: before });
  expect(letters.map(({ cause }) => cause)).toEqual(['rejected', 'rejected']);
  expect(letters.map((letter) => scene.log.stream.deadLetters.workStreamOf(letter))).toEqual(['webhooks', 'webhooks']);
  await scene.log.stream.deadLetters.replayAll();
  expect(await scene.waiting()).toEqual([2, 0]);
  await applyAll();
  expect(await scene.log.stream.deadLetters.count()).toBe(2);
});
