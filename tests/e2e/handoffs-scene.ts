import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadSettings } from '@tributary/config';
import { delivery } from '@tributary/domain/advertising/campaigns/module.ts';
import { syncs } from '@tributary/domain/advertising/connections/module.ts';
import type { MarketOptions } from '@tributary/market';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createProviders, type Provider } from '@tributary/providers';
import { startSandbox } from '@tributary/sandbox';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import {
  type ApiChanges,
  buildApiKey,
  freePort,
  openApi,
  openTestkit,
  openWarehouse,
  processQueue,
  testOutcomeServices,
  testVault,
} from '@tributary/testkit';
import { type Channel, dayMs, type HandoffProvider, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openShop, setOrigins } from '../../domain/advertising/handoffs/handoffs.fixture.ts';
import { openBrowser } from './browser.ts';

export interface Handoff {
  readonly id: string;
  readonly url: string;
  readonly start_url: string;
}

/** The answer on the consent page: the accounts to share by label; defaults to all. */
export interface Consent {
  readonly share?: readonly RegExp[];
  readonly answer?: string;
}

/** One API, one connection reader, one browser, and all companies of the sandbox. The market ended yesterday. */
export async function openConsents(changes: ApiChanges = {}, size: Partial<MarketOptions> = {}) {
  const kit = await openTestkit();
  kit.clock.set(new Date());
  const now = () => kit.clock.now();
  const market = {
    people: 60,
    campaigns: 12,
    days: 5,
    start: dayOf(now(), 6),
    currencies: ['USD', 'CLP', 'MXN'],
    ...size,
  };
  const sandbox = await startSandbox({ now, market });
  // The oldest deal, of the first location, is won.
  sandbox.book.highlevel.change(sandbox.book.highlevel.deals.at(-1)?.id ?? '', { status: 'won' });
  const providers = createProviders(loadSettings({ ...sandbox.settings, PROVIDER_LOCAL_HOSTS: '127.0.0.1' }));
  const providerOutbound = createOutbound({ timeoutMs: 10_000, policy: localDevelopmentTargets });
  const warehouse = await openWarehouse(kit);
  const port = await freePort();
  const metrics = createMetrics();
  const clickhouse = warehouse.client;
  const baseUrl = `http://127.0.0.1:${port}`;
  const served = { baseUrl, providers, providerOutbound, clickhouse, metrics, ...changes };
  const api = await openApi(kit, served);
  await api.fastify.listen({ host: '127.0.0.1', port });
  // The app's own page, to which users are redirected.
  const app = createServer((_request, response) => response.end('Welcome back')).listen(0, '127.0.0.1');
  await once(app, 'listening');
  const appOrigin = `http://app.test:${(app.address() as AddressInfo).port}`;
  const browser = await openBrowser();
  const stores = { app: kit.app, system: kit.system, now, providers, providerOutbound, vault: testVault };
  const reader = syncs({ ...stores, random: Math.random, outcomes: testOutcomeServices });
  const positions: string[] = [];

  return {
    kit,
    api,
    baseUrl,
    sandbox,
    providers,
    providerOutbound,
    warehouse,
    metrics,
    appOrigin,
    /** The cursors of the syncs after each page batch. */
    positions,
    minutes: (count: number) => kit.clock.advance(count * minuteMs),
    nameOf: (channel: Channel) => (providers.of(channel) as Provider).facts.name,

    newContext: (options: BrowserContextOptions = {}): Promise<BrowserContext> =>
      browser.newContext({ locale: 'en-US', ...options }),

    /** A profile whose app may redirect users to its page, with helpers to read it. */
    async open() {
      const shop = await openShop(kit, api);
      await setOrigins(kit, shop.appId, { redirectUris: [`${appOrigin}/oauth`] });
      const { headers } = await buildApiKey(kit.app, shop.id, { scopes: ['campaigns:read', 'customers:read'] });
      return {
        ...shop,
        async handoff(provider: HandoffProvider, body: object = { return_url: `${appOrigin}/connected?step=2` }) {
          const { status, data } = await shop.mint(provider, body);
          if (status !== 201) throw new Error(`No hand-off for ${provider}: ${status}`);
          return data as Handoff;
        },
        connection: async (id: string) => (await shop.call('GET', `/api/v1/connections/${id}`)).data,
        report: (path: string, query: Record<string, string> = {}) =>
          shop.call('GET', `/api/v1${path}?${new URLSearchParams(query)}`, undefined, headers),
        /** The dates that a first sync may have read. */
        days: () => ({ date_from: dayOf(now(), 85), date_to: dayOf(now(), 0) }),
      };
    },

    /** Answers the consent page that a tab shows. */
    async consent(page: Page, { share, answer = 'approve' }: Consent = {}): Promise<void> {
      await page.waitForURL(`${sandbox.url}/**`);
      for (const label of answer === 'approve' && share ? await page.locator('label:has([name=account])').all() : []) {
        const name = (await label.textContent()) ?? '';
        const box = label.locator('input');
        const isShared = share?.some((one) => one.test(name)) ?? true;
        if (isShared || (await box.getAttribute('type')) === 'checkbox') await box.setChecked(isShared);
      }
      await page.getByRole('button', { name: answer, exact: true }).click();
    },

    /** The query parameters that the app's page received. */
    async callbackQuery(page: Page): Promise<Record<string, string>> {
      await page.waitForURL(`${appOrigin}/**`);
      return Object.fromEntries(new URL(page.url()).searchParams);
    },

    /** Reads a connection until nothing is left, as a worker does; reports that a platform prepares asynchronously are ready immediately. */
    async readAll(connectionId: string): Promise<void> {
      for (let batches = 0; ; batches += 1) {
        await kit.owner.unbound.query(
          sql`UPDATE syncs SET due_at = '2020-01-01' WHERE connection_id = ${connectionId} AND due_at < 'infinity'`,
        );
        await processQueue(kit.system, 'syncs', reader, connectionId);
        const { rows } = await kit.owner.unbound.query(sql<SyncState>`
          SELECT position, last_success_at IS NOT NULL AS "isDone", state, last_error FROM syncs
          WHERE connection_id = ${connectionId}`);
        const [row] = rows;
        positions.push(JSON.stringify(row?.position ?? null));
        if (row?.isDone) break;
        if (row?.state !== 'running' || batches > 50) throw new Error(`It came no further: ${JSON.stringify(row)}`);
        kit.clock.advance(minuteMs);
      }
      await processQueue(kit.system, 'delivery', delivery({ app: kit.app, clickhouse }));
    },

    async close(): Promise<void> {
      await browser.close();
      app.closeAllConnections();
      app.close();
      await api.close();
      await warehouse.drop();
      await sandbox.close();
      providerOutbound.close();
      await kit.close();
    },
  };
}

interface SyncState {
  readonly position: unknown;
  readonly isDone: boolean;
  readonly state: string;
  readonly last_error: string | null;
}

const dayOf = (now: Date, ago: number): string => new Date(now.getTime() - ago * dayMs).toISOString().slice(0, 10);

export type Consents = Awaited<ReturnType<typeof openConsents>>;
export type ConsentShop = Awaited<ReturnType<Consents['open']>>;
