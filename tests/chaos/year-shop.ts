import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadSettings } from '@tributary/config';
import { saveRates } from '@tributary/domain/money/room.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createProviders } from '@tributary/providers';
import { connectStream } from '@tributary/stream';
import {
  buildApiKey,
  buildMarkedProfile,
  buildMember,
  Killable,
  openApi,
  openDrillKit,
  openWarehouse,
  startSandbox,
  testRing,
} from '@tributary/testkit';
import type { QueueName } from '@tributary/work';
import { connectAll } from './year-connections.ts';
import { currencies, rateOf } from './year-money.ts';
import type { Order, YearWorkerSettings } from './year-worker.ts';

export const firstDay = '2025-10-01';
const dayMs = 86_400_000;
export const dayAt = (n: number): string => new Date(Date.parse(firstDay) + n * dayMs).toISOString().slice(0, 10);

/** In the order in which each makes work for the next. */
const allQueues: readonly QueueName[] = [
  'syncs',
  'erasures',
  'sales',
  'firstPayments',
  'attribution',
  'delivery',
  'reconciliations',
  'exports',
  'webhooks',
];

export interface Delivered {
  readonly id: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever an event holds.
  readonly data: any;
}

export type Shop = Awaited<ReturnType<typeof openYearShop>>;

/** A shop with all providers of the sandbox, an API in this process and a worker in one of its own. */
export async function openYearShop(days: number) {
  const kit = await openDrillKit('drill-year', ['postgres', 'redis', 'clickhouse', 'nats']);
  kit.clock.set(`${firstDay}T00:00:00Z`);
  const now = () => kit.clock.now();
  const sandbox = await startSandbox({
    now,
    market: { people: 150, campaigns: 4, start: firstDay, days, currencies: ['USD'] },
  });
  const { book } = sandbox;
  // The market's own sales are not of this shop: the simulator makes each.
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

  const delivered: Delivered[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      delivered.push(JSON.parse(body) as Delivered);
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
    'goals:write',
  ] as const;
  const key = await buildApiKey(kit.app, profile.id, { scopes, appId: profile.appId, requestsPerMinute: 600_000 });
  const member = await buildMember(kit.app, profile.workspaceId, 'owner');
  await saveRates(
    kit.system,
    'file',
    Array.from({ length: days }, (_, n) => dayAt(n)).flatMap((day) =>
      currencies.map((currency) => ({ day, currency, units: String(rateOf(currency, day)), usd: '1' })),
    ),
  );

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    headers: Readonly<Record<string, string>> = key.headers,
  ) {
    const answer = await api.call({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) });
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${answer.body}`);
    return answer.json();
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

  return {
    kit,
    api,
    sandbox,
    profile,
    member,
    call,
    delivered,
    worker,
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
    async changeCurrency(currency: string) {
      const headers = member.headers({ profileId: profile.id });
      await call('PATCH', '/profile', { reporting_currency: currency }, headers);
      repriced = [profile.id];
    },
    /** All work that is due now. `killAfterMs`: the worker is killed that long after it began, and a new one does the rest. */
    async round(killAfterMs?: number, queues = allQueues) {
      const order: Order = { now: now().toISOString(), repriced, queues };
      let timer: NodeJS.Timeout | undefined;
      let killing: Promise<void> | undefined;
      if (killAfterMs !== undefined)
        timer = setTimeout(() => {
          killing = worker.kill();
        }, killAfterMs);
      let reply = await worker.ask<{ error: string | null }>(order);
      clearTimeout(timer);
      await killing;
      if (reply === undefined || killing) {
        await worker.start();
        reply = await worker.ask<{ error: string | null }>(order);
      }
      if (!reply || reply.error) throw new Error(`The worker failed: ${reply?.error}`);
      repriced = [];
    },
    async close() {
      await worker.kill();
      receiver.closeAllConnections();
      receiver.close();
      await api.close();
      await sandbox.close();
      await stream.close();
      await clickhouse.close();
      await Promise.all([providerOutbound.close(), webhookTargets.close()]);
      await kit.close();
    },
  };
}
