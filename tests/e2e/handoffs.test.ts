import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delivery } from '@tributary/domain/campaigns/room.ts';
import { syncs } from '@tributary/domain/connections/room.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { startSandbox } from '@tributary/sandbox';
import {
  buildApiKey,
  freePort,
  metaOf,
  openApi,
  openTestkit,
  openWarehouse,
  testOutcomeServices,
  testVault,
  workOff,
} from '@tributary/testkit';
import axe from 'axe-core';
import { sql } from 'kysely';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, expect, test, vi } from 'vitest';
import { openShop, setOrigins } from '../../domain/handoffs/handoffs.fixture.ts';
import { searchColumns, searchTables } from '../chaos/sync-scene.ts';
import { openBrowser } from './browser.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const kit = await openTestkit();
kit.clock.set(new Date());
const start = new Date(kit.clock.now().getTime() - 6 * 86_400_000).toISOString().slice(0, 10);
const sandbox = await startSandbox({
  now: () => kit.clock.now(),
  market: { people: 5, campaigns: 20, days: 5, start },
});
const providerOutbound = createOutbound({ timeoutMs: 10_000, policy: localDevelopmentTargets });
const providers = metaOf(sandbox);
const warehouse = await openWarehouse(kit);
const port = await freePort();
const api = await openApi(kit, {
  baseUrl: `http://127.0.0.1:${port}`,
  providers,
  providerOutbound,
  clickhouse: warehouse.client,
});
await api.fastify.listen({ host: '127.0.0.1', port });
/** The app's own page, to which people return. */
const app = createServer((_request, response) => response.end('Welcome back')).listen(0, '127.0.0.1');
await once(app, 'listening');
const appOrigin = `http://app.test:${(app.address() as AddressInfo).port}`;
const returnUrl = `${appOrigin}/connected?step=2`;
const browser = await openBrowser();
afterAll(async () => {
  await browser.close();
  app.closeAllConnections();
  app.close();
  await api.close();
  await warehouse.drop();
  await sandbox.close();
  providerOutbound.close();
  await kit.close();
});

/** Somebody's browser. */
async function somebody(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  return context.newPage();
}

async function mint(body: object = { return_url: returnUrl }) {
  const shop = await openShop(kit, api);
  await setOrigins(kit, shop.appId, { redirectUris: [`${appOrigin}/oauth`] });
  const { data } = await shop.mint('social_ads', body);
  return { shop, handoff: data as Record<'id' | 'url' | 'start_url', string> };
}

/** What the app's page was told. */
async function told(page: Page): Promise<Record<string, string>> {
  await page.waitForURL(`${appOrigin}/**`);
  return Object.fromEntries(new URL(page.url()).searchParams);
}

const goOn = (page: Page) => page.getByRole('link', { name: /Meta/ }).click();

/** Shares some of the accounts on the provider's page. */
async function share(page: Page, count: number): Promise<void> {
  await page.waitForURL(`${sandbox.url}/**`);
  const boxes = page.locator('input[name=account]');
  const all = await boxes.count();
  for (let place = 0; place < all; place += 1) await boxes.nth(place).setChecked(place < count);
  await page.getByRole('button', { name: 'approve' }).click();
}

test('page, consent, callback, connection, first sync, numbers; a second click tells the same, and no token is kept in the clear', async () => {
  const { shop, handoff } = await mint();
  const page = await somebody();
  await page.goto(handoff.url);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Meta');
  expect(await page.getByText(`Profile ${shop.mark}`).count()).toBe(1);
  await goOn(page);
  await share(page, 1);
  expect(await told(page)).toMatchObject({ step: '2', status: 'success', handoff_id: handoff.id });
  const { status, result } = await shop.read(handoff.id);
  expect(status).toBe('completed');
  const { data } = await shop.call('GET', `/api/v1/connections/${result.connection_id}`);
  expect(data).toMatchObject({ channel: 'social_ads', status: 'connected' });
  await page.goto(handoff.start_url);
  expect(await told(page)).toMatchObject({ status: 'success' });
  await page.context().close();
  const { app, system } = kit;
  const now = () => kit.clock.now();
  const stores = { app, system, now, providers, providerOutbound, vault: testVault, random: Math.random };
  const reader = syncs({ ...stores, outcomes: testOutcomeServices });
  // The platform makes reports ready while one waits; nobody has to wait here.
  for (let isRead = false; !isRead; kit.clock.advance(60_000)) {
    await workOff(system, 'syncs', reader, result.connection_id);
    const { data: one } = await shop.call('GET', `/api/v1/connections/${result.connection_id}`);
    isRead = one.sync.last_success_at !== null;
    await kit.owner.unbound.query(sql`UPDATE syncs SET due_at = '2020-01-01' WHERE state = 'running'`);
  }
  await workOff(system, 'delivery', delivery({ app, clickhouse: warehouse.client }));
  const { headers } = await buildApiKey(app, shop.id, { scopes: ['campaigns:read'] });
  const days = [80, 0].map((ago) => new Date(now().getTime() - ago * 86_400_000).toISOString().slice(0, 10));
  const list = `/api/v1/campaigns?date_from=${days[0]}&date_to=${days[1]}`;
  const campaigns = await shop.call('GET', list, undefined, headers);
  expect(campaigns.data.length).toBeGreaterThan(0);
  expect(campaigns.data.some(({ spend }: { spend: number }) => spend > 0)).toBe(true);
  // Codes, access and refresh tokens: what was sealed is found by nobody who has only a dump.
  const tokens = sandbox.consents.given();
  expect(tokens.length).toBeGreaterThanOrEqual(2);
  const [tables, columns] = [await searchTables(kit.owner, tokens), await searchColumns(warehouse.client, tokens)];
  expect([tables.leaks, columns.leaks, tokens.filter((token) => api.logLines.join().includes(token))]).toEqual([
    0,
    0,
    [],
  ]);
  expect(Math.min(tables.searched, columns.searched)).toBeGreaterThan(10);
  const [{ name = '' } = {}] = campaigns.data;
  expect((await searchTables(kit.owner, [name])).leaks).toBeGreaterThan(0);
  expect((await searchColumns(warehouse.client, [name])).leaks).toBeGreaterThan(0);
});

test('without JavaScript and in Spanish: several accounts, of which one is chosen', async () => {
  const { shop, handoff } = await mint({});
  const page = await somebody({ javaScriptEnabled: false, locale: 'es-CL' });
  await page.goto(handoff.url);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/^Conectar Meta/);
  await goOn(page);
  await share(page, 2);
  await page.getByRole('heading', { name: /Se encontraron varias cuentas/ }).waitFor();
  const pending = '/api/v1/connections/pending/social_ads';
  const { data: accounts } = await shop.call('GET', pending);
  expect(accounts).toHaveLength(2);
  const { status } = await shop.call('POST', `${pending}/finalize`, { candidate_id: accounts[1].id });
  expect(status).toBe(200);
  await page.context().close();
});

test('cancelled at the provider; and the link says that it was used', async () => {
  const { shop, handoff } = await mint();
  const page = await somebody();
  await page.goto(handoff.start_url);
  await page.getByRole('button', { name: 'cancel' }).click();
  expect(await told(page)).toMatchObject({ status: 'cancelled', reason: 'user_cancelled' });
  expect((await shop.read(handoff.id)).status).toBe('cancelled');
  await page.goto(handoff.url);
  expect(await page.getByRole('alert').textContent()).toContain('used already');
  await page.getByRole('link', { name: 'Go back' }).click();
  expect(await told(page)).toMatchObject({ status: 'failed', reason: 'handoff_used' });
  await page.context().close();
});

test('finished in another browser, and then in the right one', async () => {
  const { shop, handoff } = await mint();
  const [mine, other] = [await somebody(), await somebody()];
  await mine.goto(handoff.start_url);
  // The address of the consent page is sent on to somebody else.
  await other.goto(mine.url());
  await share(other, 1);
  expect(await told(other)).toMatchObject({ status: 'failed', reason: 'state_invalid' });
  expect((await shop.read(handoff.id)).status).toBe('pending');
  await share(mine, 1);
  expect(await told(mine)).toMatchObject({ status: 'success' });
  await mine.context().close();
  await other.context().close();
});

test('a link that is too old', async () => {
  const { shop, handoff } = await mint();
  kit.clock.advance(45 * 60_000);
  const page = await somebody();
  await page.goto(handoff.start_url);
  expect(await told(page)).toMatchObject({ status: 'failed', reason: 'handoff_expired' });
  expect((await shop.read(handoff.id)).result.reason).toBe('handoff_expired');
  await page.context().close();
});

test('the page is accessible', async () => {
  const { handoff } = await mint();
  // Without its policy, which lets no script in: neither ours nor axe.
  const page = await somebody({ bypassCSP: true });
  await page.goto(handoff.url);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as never as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.context().close();
});
