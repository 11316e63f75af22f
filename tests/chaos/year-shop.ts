import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCollector } from '@tributary/collector/app.ts';
import { loadSettings } from '@tributary/config';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import type { Postgres } from '@tributary/postgres';
import { listen } from '@tributary/postgres/listen.ts';
import { createProviders } from '@tributary/providers';
import { createRedis, redisReady } from '@tributary/redis';
import { connectStream, isPassed } from '@tributary/stream';
import { createLog } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import {
  buildApiKey,
  buildMarkedProfile,
  buildMember,
  buildTrackingKey,
  Killable,
  openApi,
  openDrillKit,
  openWarehouse,
  startSandbox,
  testRing,
  testStreamVault,
} from '@tributary/testkit';
import type { QueueName } from '@tributary/work';
import { sql } from 'kysely';
import { marketOf } from './year-ads.ts';
import { connectAll } from './year-connections.ts';
import { currencies, rateOf } from './year-money.ts';
import type { RoundCommand, RoundResult, YearWorkerSettings } from './year-worker.ts';

export const firstDay = '2025-10-01';
export const marketSeed = 44;
const dayMs = 86_400_000;
export const dayAt = (n: number): string => new Date(Date.parse(firstDay) + n * dayMs).toISOString().slice(0, 10);

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Ordered so that each queue creates work for later queues. */
const allQueues: readonly QueueName[] = ['syncs', 'erasures', 'sales', 'firstPayments', 'attribution', 'delivery'];

export interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: event data is not typed here.
  readonly data: any;
}

export type Shop = Awaited<ReturnType<typeof openYearShop>>;

/** Opens a shop with all providers of the sandbox, an API in this process and a worker in a separate process. */
export async function openYearShop(days: number) {
  const kit = await openDrillKit('drill-year', ['postgres', 'redis', 'clickhouse', 'nats']);
  kit.clock.set(`${firstDay}T00:00:00Z`);
  const now = () => kit.clock.now();
  const sandbox = await startSandbox({ now, seed: marketSeed, market: marketOf(firstDay, days) });
  const { book } = sandbox;
  // Removes the market's own sales, because the simulator makes every sale of this shop.
  book.stripe.state.charges.length = 0;
  book.stripe.state.refunds.length = 0;
  book.stripe.state.disputes.length = 0;
  book.mercadoPago.payments.length = 0;
  book.fintoc.movements.length = 0;
  book.shopify.orders.length = 0;
  (book.highlevel.deals as unknown[]).length = 0;

  const providers = createProviders(loadSettings({ ...sandbox.settings, PROVIDER_LOCAL_HOSTS: '127.0.0.1' }));
  const providerOutbound = createOutbound({ timeoutMs: 20_000, policy: localDevelopmentTargets });
  const webhookTargets = createOutbound({ timeoutMs: 20_000, policy: localDevelopmentTargets });
  const stream = await connectStream({ url: kit.natsUrl, prefix: kit.streamPrefix });
  await stream.ensureStreams();
  const warehouse = await openWarehouse(kit);
  const clickhouse = warehouse.client;
  const tombstoneKey = () => testRing.eldest().bytes;
  const changes = { providers, providerOutbound, webhookTargets, clickhouse, tombstoneKey };
  const api = await openApi(kit, changes);

  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  const collector = await createCollector({
    baseUrl: 'https://tributary.test',
    lookUps: kit.app.unbound,
    hearChanges: (channel, hearing) => listen(kit.database.collectorUrl, channel, hearing),
    redis,
    stream,
    vault: testStreamVault,
    metrics: createMetrics(),
    log: createLog('silent'),
    now,
    requestTimeoutMs: 20_000,
    requestsPerMinute: 100_000,
    addressShare: 1,
    clockSkewMs: () => 0,
    isStopping: () => false,
  });
  const collectorPort = await collector.listen('127.0.0.1', 0);

  const delivered: DeliveredEvent[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      delivered.push(JSON.parse(body) as DeliveredEvent);
      response.writeHead(204).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');

  const profile = await buildMarkedProfile(kit, { reportingCurrency: 'USD' });
  const scopes = [
    'attribution:write',
    'analytics:read',
    'campaigns:read',
    'commerce:read',
    'connections:read',
    'connections:write',
    'conversions:read',
    'customers:read',
    'exports:read',
    'exports:write',
    'goals:write',
  ] as const;
  const key = await buildApiKey(kit.app, profile.id, { scopes, appId: profile.appId, requestsPerMinute: 600_000 });
  const tracking = await buildTrackingKey(kit.app, profile.id);
  const member = await buildMember(kit.app, profile.workspaceId, 'owner');
  await saveRates(
    kit.system,
    'file',
    Array.from({ length: days }, (_, n) => dayAt(n)).flatMap((day) =>
      currencies.map((currency) => ({ day, currency, units: String(rateOf(currency, day)), usd: '1' })),
    ),
  );

  await dateDeliveryInPostgres(kit.owner);

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    headers: Readonly<Record<string, string>> = key.headers,
  ) {
    const response = await api.call({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${path} answered ${response.statusCode}: ${response.body}`);
    return response.json();
  }
  const settings: YearWorkerSettings = {
    appUrl: kit.database.appUrl,
    systemUrl: kit.database.systemUrl,
    clickhouseUrl: kit.clickhouseUrl,
    clickhouseDatabase: kit.clickhouseDatabase,
    natsUrl: kit.natsUrl,
    streamPrefix: kit.streamPrefix,
    providers: sandbox.settings,
  };
  const worker = new Killable(join(import.meta.dirname, 'year-worker.ts'), [JSON.stringify(settings)]);
  await worker.start();
  await call('POST', '/webhooks/subscriptions', {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    events: ['outcome.recorded', 'connection.connected', 'connection.reconnect_required', 'connection.revoked'],
    providers: ['service'],
  });
  const connections = connectAll({ api, sandbox, profile, call, now });
  let repriced: string[] = [];
  const spent: Record<string, number> = {};

  return {
    kit,
    api,
    sandbox,
    profile,
    member,
    call,
    delivered,
    /** Seconds that the worker has worked on each queue. */
    spent,
    worker,
    tracking,
    connections,
    clickhouse,
    stream,
    ledger: kit.app.forProfile(profile.id),
    at(moment: Date) {
      kit.clock.set(moment);
    },
    async events(bodies: readonly object[]) {
      if (bodies.length === 0) return;
      const { data } = await call('POST', '/events', { events: bodies });
      const bad = data.results.filter(({ status }: { status: string }) => status === 'rejected');
      if (bad.length > 0) throw new Error(`Events were rejected: ${JSON.stringify(bad)}`);
    },
    /** Sends visits as a browser does. `untilVisitsProcessed` waits until the worker has processed them. */
    async visit(body: object) {
      const response = await fetch(`http://127.0.0.1:${collectorPort}/v1/visits`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'user-agent': userAgent, origin: 'https://shop.example' },
        body: JSON.stringify(body),
      });
      if (response.status !== 204)
        throw new Error(`The collector answered ${response.status}: ${await response.text()}`);
    },
    async untilVisitsProcessed() {
      const end = await stream.end();
      const deadline = performance.now() + 120_000;
      while (!isPassed(await stream.consumedThrough(visitsConsumer), end)) {
        if (performance.now() > deadline) throw new Error('Visits are still in the log after two minutes.');
        await sleep(20);
      }
    },
    makeExportsDue: () =>
      kit.app
        .forProfile(profile.id)
        .transaction((tx) =>
          sql`UPDATE export_events SET due_at = '2020-01-01' WHERE status IN ('waiting', 'processing')`.execute(tx),
        ),
    async changeCurrency(currency: string) {
      const headers = member.headers({ profileId: profile.id });
      await call('PATCH', '/profile', { reporting_currency: currency }, headers);
      repriced = [profile.id];
    },
    /** Processes all work that is due now. With `killAfterMs` the worker is killed after that time, and a new one does the rest. */
    async round(killAfterMs?: number, queues = allQueues) {
      const ids = [...connections.ids.values()];
      const command: RoundCommand = { now: now().toISOString(), repriced, queues, connections: ids };
      let timer: NodeJS.Timeout | undefined;
      let killing: Promise<void> | undefined;
      if (killAfterMs !== undefined)
        timer = setTimeout(() => {
          killing = worker.kill();
        }, killAfterMs);
      let result = await worker.ask<RoundResult>(command);
      clearTimeout(timer);
      await killing;
      if (result === undefined || killing) {
        await worker.start();
        result = await worker.ask<RoundResult>(command);
      }
      if (!result || result.error) throw new Error(`The worker failed: ${result?.error}`);
      for (const [queue, seconds] of Object.entries(result.spent)) spent[queue] = (spent[queue] ?? 0) + seconds;
      repriced = [];
    },
    async close() {
      await worker.kill();
      receiver.closeAllConnections();
      receiver.close();
      await collector.close();
      redis.disconnect();
      await api.close();
      await sandbox.close();
      await stream.close();
      await clickhouse.close();
      await Promise.all([providerOutbound.close(), webhookTargets.close()]);
      await kit.close();
    },
  };
}

/**
 * The worker's clock dates ad delivery, and PostgreSQL's clock dates all other rows. Only the worker's clock is simulated here. These triggers
 * make PostgreSQL date ad delivery as well, so that there is a single history.
 */
async function dateDeliveryInPostgres(owner: Postgres): Promise<void> {
  await owner.unbound.query(sql`
    CREATE FUNCTION year_dates_delivery() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_TABLE_NAME = 'ad_delivery' THEN NEW.recorded_at = clock_timestamp(); ELSE NEW.replaced_at = clock_timestamp(); END IF;
      RETURN NEW;
    END $$`);
  for (const table of ['ad_delivery', 'ad_delivery_history'])
    await owner.unbound.query(sql`
      CREATE TRIGGER year_dates_delivery BEFORE INSERT OR UPDATE ON ${sql.table(table)}
      FOR EACH ROW EXECUTE FUNCTION year_dates_delivery()`);
}
