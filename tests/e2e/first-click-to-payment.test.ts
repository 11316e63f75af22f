import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { raw } from '@tributary/clickhouse';
import { type Collector, createCollector } from '@tributary/collector/app.ts';
import { startAttribution } from '@tributary/domain/attribution';
import { openIngestion, pipeline } from '@tributary/domain/ingestion';
import { linkTokenReader } from '@tributary/domain/link-tokens';
import { markVerified } from '@tributary/domain/tracking';
import { createRedis, type RedisClient, redisReady } from '@tributary/redis';
import { createLog } from '@tributary/runtime';
import {
  buildApiKey,
  buildProfile,
  openApi,
  openTestkit,
  openWarehouse,
  type TestApi,
  type Testkit,
  testVault,
} from '@tributary/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { streamVault, testRing } from '../../domain/ingestion/ingestion.fixture.ts';
import { openPrivateStream, type PrivateStream } from '../../packages/stream/testing/private-stream.ts';
import { openBrowser } from './browser.ts';

// A browser shares the machine with every other test.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

let kit: Testkit;
let api: TestApi;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
let log: PrivateStream;
let redis: RedisClient;
let collector: Collector;
let browser: Browser;
let site: Server;
let html = '';
let stopAttribution: () => Promise<void>;
const origin = () => `http://shop.test:${(site.address() as AddressInfo).port}`;
const now = () => new Date();
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

beforeAll(async () => {
  kit = await openTestkit();
  [warehouse, log, browser] = await Promise.all([openWarehouse(kit), openPrivateStream(), openBrowser()]);
  redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  collector = await createCollector({
    baseUrl: 'https://tributary.test',
    postgres: kit.app,
    redis,
    stream: log.stream,
    vault: streamVault,
    log: createLog('silent'),
    now,
    requestTimeoutMs: 10_000,
    requestsPerMinute: 100_000,
  });
  const collectorUrl = `http://collect.test:${await collector.listen('127.0.0.1', 0)}`;
  api = await openApi(kit, { collectorUrl });
  kit.clock.set(now());
  const ingestion = openIngestion({
    postgres: kit.app,
    clickhouse: warehouse.client,
    ring: testRing,
    readLinkToken: linkTokenReader(() => testVault.derive('link_token')),
    markVerified,
    now,
  });
  await log.stream.consume({ name: 'ingestion', maxWaitMs: 20, handler: pipeline(ingestion) });
  const attribution = startAttribution({
    app: kit.app,
    system: kit.system,
    clickhouse: warehouse.client,
    now,
    onError: (error) => console.error(error),
    idleMs: 50,
  });
  stopAttribution = () => attribution.stop();
  site = createServer((request, response) => {
    if (request.url?.startsWith('/t/'))
      void passOn(collectorUrl.replace('collect.test', '127.0.0.1'), request, response);
    else response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await stopAttribution();
  await browser.close();
  await collector.close();
  await log.destroy();
  site.close();
  site.closeAllConnections();
  redis.disconnect();
  await api.close();
  await warehouse.drop();
  await kit.close();
});

/** What a site does that serves the tracker and the collector under its own address. */
async function passOn(collectorUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { 'content-type': type = '', 'user-agent': agent = '', origin: from = '' } = request.headers;
  const body = await buffer(request);
  const answer = await fetch(collectorUrl + (request.url as string).slice('/t'.length), {
    method: request.method as string,
    headers: { 'content-type': type, 'user-agent': agent, ...(from && { origin: from }) },
    ...(request.method === 'POST' && { body: new Uint8Array(body) }),
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

test('from an ad to a payment: the snippet of the API, a real browser, and what the payment owes to the click', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const { headers } = await buildApiKey(kit.app, profileId, {
    scopes: ['attribution:write', 'analytics:read', 'visitors:read', 'customers:read'],
  });
  const ask = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const response = await api.fastify.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) });
    expect(response.statusCode, response.body).toBeLessThan(300);
    return response;
  };
  await ask('POST', '/api/v1/tracking/keys');
  const snippet = (await ask('GET', '/api/v1/tracking/snippet')).body;
  html = `<!doctype html><html><head>${snippet}</head><body><h1>Shop</h1></body></html>`;

  // As it is, this browser says that it has no head, and would count as a robot.
  const page = await browser.newPage({ userAgent });
  const asked = '&svc_t=not-a-token&email=eva%40example.test';
  await page.goto(`${origin()}/?utm_source=facebook&utm_medium=paid_social&utm_id=1202&fbclid=IwAR0secret${asked}`, {
    referer: 'https://l.facebook.com/',
  });
  await expect.poll(() => page.url()).not.toContain('svc_t');
  await page.evaluate(`tributary('identify', { email: 'eva@example.test' })`);

  const rows = (select: string) => warehouse.client.query(raw(`${select} WHERE profile_id = '${profileId}'`), {});
  await expect
    .poll(() => rows('SELECT channel, source, click_id_kind, url, country FROM visits FINAL'), { timeout: 20_000 })
    .toContainEqual({
      channel: 'paid_social',
      source: 'facebook',
      click_id_kind: 'fbclid',
      // The address of the person and the click id are gone, the campaign is there.
      url: expect.not.stringMatching(/eva|IwAR0secret|svc_t/),
      country: 'ZZ',
    });
  await expect.poll(() => rows('SELECT count() AS n FROM touches FINAL')).toEqual([{ n: '1' }]);

  await ask('POST', '/api/v1/events', {
    event_name: 'payment_received',
    idempotency_key: 'order-1',
    occurred_at: now().toISOString(),
    properties: { value: '199.90', currency: 'USD' },
    user_traits: { email: 'eva@example.test' },
  });
  const paidAt = Date.now();
  await expect
    .poll(() => rows('SELECT value, touch_count, linear FROM attributed_conversions FINAL'), {
      timeout: 20_000,
      interval: 50,
    })
    .toEqual([{ value: '19990', touch_count: 1, linear: ['19990'] }]);
  // On an idle machine this is a second; tests run on busy ones.
  expect(Date.now() - paidAt).toBeLessThan(20_000);
  const feed = (await ask('GET', '/api/v1/tracking/events?limit=10')).json();
  expect(feed.data.length).toBeGreaterThan(0);
  const journey = (await ask('GET', '/api/v1/customers/journey?email=eva%40example.test')).json();
  expect(journey.data.events.map((event: { event_type: string }) => event.event_type)).toEqual([
    'page_view',
    'identify',
    'payment_received',
  ]);
  await page.close();
});

test('[link-051][link-052][link-054][link-055] a link of a message: the token is of a customer key, the tracker comes from the site itself, and the ad clicked before earns its part', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['attribution:write', 'analytics:read'] });
  const ask = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const response = await api.fastify.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) });
    expect(response.statusCode, response.body).toBeLessThan(300);
    return response.json();
  };
  const { key } = (await ask('POST', '/api/v1/tracking/keys')).data;
  await ask('POST', '/api/v1/events', {
    event_name: 'payment_received',
    idempotency_key: 'order-1',
    occurred_at: new Date(Date.now() + 60_000).toISOString(),
    properties: { value: '100.00', currency: 'USD' },
    user_traits: { external_id: 'customer-1' },
  });
  const { data } = await ask('POST', '/api/v1/customers/link-tokens', { customers: [{ customer_key: 'customer-1' }] });
  const linkTo = (path: string) =>
    `${origin()}${path}${path.includes('?') ? '&' : '?'}${data.param}=${data.results[0].token}`;
  const rows = (select: string) => warehouse.client.query(raw(`${select} WHERE profile_id = '${profileId}'`), {});
  const tag = `<script async src="/t/t.js" data-collector="/t" data-key="${key}"></script>`;

  const page = await browser.newPage({ userAgent });
  html = '<!doctype html><h1>Without the tracker</h1>';
  await page.goto(linkTo('/plain'));
  expect(page.url()).toContain(data.param);
  html = `<!doctype html><html><head>${tag}</head><body><h1>Shop</h1></body></html>`;
  await page.goto(`${origin()}/?utm_source=google&utm_medium=cpc&utm_campaign=shoes`);
  await expect.poll(() => rows('SELECT count() AS n FROM touches FINAL'), { timeout: 20_000 }).toEqual([{ n: '1' }]);
  // Nobody is known so far: the page without the tracker linked nobody.
  expect(await rows('SELECT touch_count FROM attributed_conversions FINAL')).not.toContainEqual({ touch_count: 1 });

  await page.goto(linkTo('/offer?utm_source=newsletter&utm_medium=email'));
  await expect.poll(() => page.url()).toBe(`${origin()}/offer?utm_source=newsletter&utm_medium=email`);
  await expect
    .poll(() => rows('SELECT touch_count, linear FROM attributed_conversions FINAL'), { timeout: 20_000 })
    .toEqual([{ touch_count: 2, linear: ['5000', '5000'] }]);
  await page.close();
});
