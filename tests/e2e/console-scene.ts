import { buildConsole, consoleDirectory } from '@tributary/console/build.ts';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { rebuildProfile } from '@tributary/domain/measurement/top-performers/module.ts';
import { addMember, createPasswords, createUser } from '@tributary/domain/tenancy/accounts/module.ts';
import { Book, type Market, openMarket, ReportBook } from '@tributary/market';
import { createClient } from '@tributary/sdk';
import {
  buildApiKey,
  buildProfile,
  openApi,
  openTestkit,
  openWarehouse,
  operatorOf,
  type Testkit,
} from '@tributary/testkit';
import { fillDelivery, fillFast } from '@tributary/testkit/market';
import { sql } from 'kysely';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';

/** The console as users see it: built, served by the API, on a market whose true figures are known. */
export interface Scene {
  readonly baseUrl: string;
  readonly market: Market;
  readonly book: ReportBook;
  readonly email: string;
  readonly password: string;
  /** The same API with a key, to compare with the console. */
  readonly api: ReturnType<typeof createClient>;
  readonly dates: { readonly date_from: string; readonly date_to: string };
  /** A new page without a session, and every error on it. */
  visit(options?: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }>;
  close(): Promise<void>;
}

const password = 'vague otter lamp';

/** A one-pixel picture. */
const onePoint = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The size of the market; measurements use a larger one. */
const small = { people: 400, campaigns: 10, days: 60 };

/** Uses the shared test engines, or those that a measurement opened. */
export async function openScene(size = small, open: () => Promise<Testkit> = openTestkit): Promise<Scene> {
  const kit = await open();
  kit.clock.set(new Date());
  const [warehouse, browser] = await Promise.all([openWarehouse(kit), openBrowser(), buildConsole()]);
  const profile = await buildProfile(kit.app);
  const market = openMarket({ seed: 11, ...size, profileId: profile.id });
  const book = new ReportBook(market);
  const deliveryBook = new Book(market);
  const engines = { app: kit.app, system: kit.system, clickhouse: warehouse.client };
  await fillFast(market, engines, {
    watch: (household) => {
      book.add(household);
      deliveryBook.add(household);
    },
  });
  await fillDelivery(market, deliveryBook.delivery.rows(), engines);
  const { signal } = new AbortController();
  await replay(engines, { profileId: profile.id, cause: 'test', now: () => new Date(), signal });
  await rebuildProfile(engines, profile.id, new Date(market.until), signal);
  await kit.app.forProfile(profile.id).transaction(async (tx) => {
    const seen = JSON.stringify({ thumbnail_url: 'https://pictures.test/ad.png' });
    await sql`UPDATE ad_entities SET creative = ${seen}::jsonb WHERE level = 'ad'`.execute(tx);
    await sql`INSERT INTO creative_pictures SELECT profile_id, id, '', ${kit.clock.now()}, 'image/png', ${onePoint}
      FROM ad_entities WHERE level = 'ad'`.execute(tx);
  });
  const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
  const { email } = await createUser(tools, { email: 'ana@example.com', name: 'Ana', password });
  await addMember(tools, { workspaceId: profile.workspaceId, email, role: 'viewer' });
  const key = await buildApiKey(kit.app, profile.id);
  const served = await openApi(kit, { clickhouse: warehouse.client, consoleDirectory });
  const baseUrl = await served.fastify.listen({ host: '127.0.0.1', port: 0 });
  return {
    baseUrl,
    market,
    book,
    email,
    password,
    api: createClient({ baseUrl, apiKey: key.secret }),
    dates: { date_from: dayOf(market.from), date_to: dayOf(market.until - 1) },
    visit: (options) => visit(browser, baseUrl, options),
    async close() {
      await browser.close();
      await served.close();
      await warehouse.drop();
      await kit.close();
    },
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Opens a page without a session. */
export async function visit(
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
  // The same timeout as all waits of tests.
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${baseUrl}/`) && !/^(data|blob):/.test(url)) complaints.push(`asked elsewhere: ${url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refused sign-in is a 401, which Chromium logs as an error of the page.
    if (message.type() === 'error' && !/status of 401/.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}
