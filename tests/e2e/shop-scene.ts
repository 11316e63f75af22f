import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ClickHouse, raw } from '@tributary/clickhouse';
import { createCollector } from '@tributary/collector/app.ts';
import type { Scope } from '@tributary/contract';
import { createLinkTokenReader } from '@tributary/domain/commerce/link-tokens/module.ts';
import { openIngestion } from '@tributary/domain/traffic/ingestion/module.ts';
import { markVerified } from '@tributary/domain/traffic/tracking/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound } from '@tributary/outbound';
import { listen } from '@tributary/postgres/listen.ts';
import { createRedis, type RedisClient, redisReady } from '@tributary/redis';
import { createLog } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import {
  openApi,
  openTestkit,
  openWarehouse,
  processQueue,
  scene,
  type TestApi,
  type Testkit,
  testOutcomeServices,
  testRing,
  testStreamVault,
  testVault,
} from '@tributary/testkit';
import { openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { startQueueWorker } from '@tributary/work';
import { blame } from '@tributary/worker/classify-failure.ts';
import { consumeVisits } from '@tributary/worker/consume-visits.ts';
import { queueHandlers } from '@tributary/worker/queues.ts';
import type { BrowserContext } from 'playwright-core';
import { expect } from 'vitest';
import { openBrowser } from './browser.ts';

/** A web shop with the complete system behind it: collector, stream, worker and API, each as in production, on its own engines. */
export interface ShopScene {
  readonly kit: Testkit;
  readonly api: TestApi;
  readonly clickhouse: ClickHouse;
  readonly log: PrivateStream;
  readonly redis: RedisClient;
  readonly origin: string;
  /** The URL to which browsers send visits. */
  readonly collectorUrl: string;
  /** The HTML of every page of the shop. */
  html: string;
  /** A browser without cookies or storage. */
  newVisitor(): Promise<BrowserContext>;
  /** Completes erasures, as the worker does every minute. */
  completeErasures(): Promise<void>;
  close(): Promise<void>;
}

const now = () => new Date();
/**
 * The default user agent identifies a headless browser, which would count as a bot. Set at launch, because the last beacon of a page does not use the
 * context's user agent.
 */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** `localHosts` are private hosts that webhooks may be sent to. */
export async function openShopScene({ localHosts = [] }: { localHosts?: readonly string[] } = {}): Promise<ShopScene> {
  const kit = await openTestkit();
  const [warehouse, log, browser] = await Promise.all([
    openWarehouse(kit),
    openPrivateStream(),
    openBrowser(`--user-agent=${userAgent}`),
  ]);
  const clickhouse = warehouse.client;
  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  const silent = createLog('silent');
  const collector = await createCollector({
    baseUrl: 'https://tributary.test',
    lookUps: kit.app.unbound,
    hearChanges: (channel, hearing) => listen(kit.database.collectorUrl, channel, hearing),
    redis,
    stream: log.stream,
    vault: testStreamVault,
    metrics: createMetrics(),
    log: silent,
    now,
    requestTimeoutMs: 10_000,
    requestsPerMinute: 100_000,
    addressShare: 0.2,
    clockSkewMs: () => 0,
    isStopping: () => false,
  });
  const collectorPort = await collector.listen('127.0.0.1', 0);
  const collectorUrl = `http://collect.test:${collectorPort}`;
  const webhookOutbound = createOutbound({ timeoutMs: 5_000, localHosts });
  const api = await openApi(kit, {
    collectorUrl,
    webhookTargets: webhookOutbound,
    tombstoneKey: () => testRing.eldest().bytes,
  });
  const ingestion = openIngestion({
    postgres: kit.app,
    clickhouse,
    ring: testRing,
    readLinkToken: createLinkTokenReader(() => testVault.derive('link_token')),
    markVerified,
    badBytesPerDay: 50 << 20,
    now,
  });
  const stores = { app: kit.app, system: kit.system, now };
  const onError = (error: unknown) => console.error(error);
  const handlers = queueHandlers({
    ...stores,
    clickhouse: clickhouse.settings,
    quick: clickhouse,
    patient: clickhouse,
    stream: log.stream,
    ingestion,
    rateSources: {},
    badVisitDays: 30,
    visitsRetentionDays: undefined,
    languageModel: undefined,
    mailing: { mailer: undefined, baseUrl: 'https://tributary.test' },
    outbound: createOutbound({ timeoutMs: 1_000 }),
    syncing: {
      vault: testVault,
      providers: { of: () => undefined },
      providerOutbound: createOutbound({ timeoutMs: 1_000 }),
      outcomes: testOutcomeServices,
    },
    deliveries: {
      outbound: webhookOutbound,
      vault: testVault,
      gate: createPersonalDataGate(kit.app),
    },
  });
  const visits = await consumeVisits(log.stream, ingestion, silent, onError);
  const { erasures: _later, ...atOnce } = handlers;
  const queues = startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: atOnce,
    blame,
    onFailure: ({ error }) => onError(error),
    numbers: { paceMs: 50 },
  });
  const work = [visits, queues];

  const site = createServer((request, response) => {
    if (request.url?.startsWith('/t/')) void proxy(`http://127.0.0.1:${collectorPort}`, request, response);
    else response.writeHead(200, { 'content-type': 'text/html' }).end(shop.html);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));

  const shop: ShopScene = {
    kit,
    api,
    clickhouse,
    log,
    redis,
    origin: `http://shop.test:${(site.address() as AddressInfo).port}`,
    collectorUrl,
    html: '',
    newVisitor: () => browser.newContext(),
    completeErasures: async () => void (await processQueue(kit.system, 'erasures', handlers.erasures)),
    async close() {
      await Promise.all(work.map((one) => one.stop()));
      await browser.close();
      await collector.close();
      await log.destroy();
      site.close();
      site.closeAllConnections();
      redis.disconnect();
      await api.close();
      await warehouse.drop();
      await kit.close();
    },
  };
  return shop;
}

/** Proxies requests as a site does that serves tracker and collector from its own domain. */
async function proxy(collectorUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
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

/** The shop of the website, with a key that has these scopes. Its browsers and its API use the current time. */
export async function openShopProfile({ kit, api, clickhouse }: ShopScene, scopes: readonly Scope[]) {
  const call: typeof api.call = (request) => {
    kit.clock.set(now());
    return api.call(request);
  };
  const shop = await scene({ kit, api: { call }, clickhouse }, { scopes });
  return {
    ...shop,
    /** Returns the response whatever its status. */
    send: shop.call,
    async ask(...request: Parameters<typeof shop.call>) {
      const answer = await shop.call(...request);
      expect(answer.statusCode, answer.body).toBeLessThan(300);
      return answer;
    },
    /** Rows of the profile in ClickHouse. */
    rows: (select: string, rest = '') =>
      clickhouse.query(raw(`${select} WHERE profile_id = {profileId:UUID} ${rest}`), { profileId: shop.profileId }),
  };
}
