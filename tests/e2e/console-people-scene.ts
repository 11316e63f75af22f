import { buildConsole, consoleDirectory } from '@tributary/console/build.ts';
import type { Role } from '@tributary/contract';
import { createLinkTokenReader } from '@tributary/domain/commerce/link-tokens/module.ts';
import { erasures } from '@tributary/domain/privacy/erasures/module.ts';
import { addMember, createPasswords, createUser } from '@tributary/domain/tenancy/accounts/module.ts';
import { openIngestion, pipeline } from '@tributary/domain/traffic/ingestion/module.ts';
import { createClient } from '@tributary/sdk';
import {
  at,
  buildApiKey,
  buildProfile,
  connectMeta,
  openAdPlatform,
  openApi,
  openTestkit,
  openWarehouse,
  operatorOf,
  processQueue,
  type Scene,
  scene,
  testRing,
  testVault,
} from '@tributary/testkit';
import { openPrivateStream } from '@tributary/testkit/stream';
import { alertKindNames } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import { v4 as anyUuid } from 'uuid';
import { openBrowser } from './browser.ts';
import { visit } from './console-scene.ts';

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;
export type PeopleScene = Awaited<ReturnType<typeof openPeopleScene>>;

const password = 'vague otter lamp';

/** The number of paying customers besides the named ones: more than a page of the list. */
export const othersCount = 60;
/** The number of pages that the busiest visitor viewed: more than a page of a journey. */
export const pagesOfBusy = 60;
export const days = { from: at(0).slice(0, 10), to: at(59).slice(0, 10) };

/** A shop with customers whose histories are known, a healthcare profile beside it, and members of each role. */
export async function openPeopleScene() {
  const kit = await openTestkit();
  // The clock advances by a minute per page, and must not reach a day that the browser's clock has not.
  kit.clock.set(new Date(Math.min(Date.now(), new Date().setUTCHours(12, 0, 0, 0))));
  const [warehouse, log, browser] = await Promise.all([
    openWarehouse(kit),
    openPrivateStream(),
    openBrowser(),
    buildConsole(),
  ]);
  const { sandbox, providers, providerOutbound } = await openAdPlatform(['USD'], () => kit.clock.now());
  const served = await openApi(kit, {
    providers,
    providerOutbound,
    clickhouse: warehouse.client,
    consoleDirectory,
    tombstoneKey: () => testRing.eldest().bytes,
  });
  const world = { kit, api: served, clickhouse: warehouse.client };
  const shop = await scene(world);
  const clinic = await scene(world, {
    workspaceId: shop.workspaceId,
    privacyMode: 'hipaa',
  });
  const boutique = await scene(world, { workspaceId: shop.workspaceId });
  const mia = await recordMia(boutique, sandbox);
  await connectMeta(kit, sandbox, boutique, 'USD');
  const stories = { eva: await recordEva(shop), lea: await recordLea(shop) };
  const guests: string[] = [];
  for (let index = 0; index < othersCount; index += 1) {
    const { customerId } = await shop.send({
      occurred_at: at(21 + index / 10),
      user_traits: { email: `guest${index}@example.test`, first_name: 'Guest', last_name: `Number${index}` },
    });
    guests.push(customerId);
  }
  const [busyId = ''] = guests;
  const visitorId = anyUuid();
  await shop.link(visitorId, busyId);
  await Promise.all(
    Array.from({ length: pagesOfBusy }, (_, index) =>
      shop.visit({ visitor_id: visitorId, occurred_at: at(index / 10), path: `/page-${index}` }),
    ),
  );
  await clinic.send({ user_traits: { email: 'pat@example.test', first_name: 'Pat', last_name: 'Reyes' } });
  await shop.attribute();
  await clinic.attribute();
  await shop.ledger.transaction((tx) =>
    sql`INSERT INTO alerts (profile_id, id, kind, since, opened_at)
      SELECT ${shop.profileId}, gen_random_uuid(), kind, ${at(50)}, ${at(51)} FROM unnest(${[...alertKindNames]}::text[]) AS kind`.execute(
      tx,
    ),
  );

  const baseUrl = await served.fastify.listen({ host: '127.0.0.1', port: 0 });
  const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
  const sessionOf = async (role: Role): Promise<Session> => {
    const { email } = await createUser(tools, { email: `${role}@example.com`, name: role, password });
    await addMember(tools, { workspaceId: shop.workspaceId, email, role });
    const { page } = await visit(browser, baseUrl);
    await page.goto(`${baseUrl}/sign-in`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/overview?**');
    const session = await page.context().storageState();
    await page.context().close();
    return session;
  };
  const sessions = {
    owner: await sessionOf('owner'),
    analyst: await sessionOf('analyst'),
    viewer: await sessionOf('viewer'),
  };
  const key = await buildApiKey(kit.app, shop.profileId, { scopes: ['customers:read', 'conversions:read'] });
  const ingestion = openIngestion({
    postgres: kit.app,
    clickhouse: warehouse.client,
    ring: testRing,
    readLinkToken: createLinkTokenReader(() => testVault.derive('link_token')),
    markVerified: async () => {},
    badBytesPerDay: 50 << 20,
    now: () => kit.clock.now(),
  });
  const consumer = await log.stream.consume({ name: 'ingestion', maxWaitMs: 10, handler: pipeline(ingestion) });
  return {
    baseUrl,
    shop,
    clinic,
    boutique,
    mia,
    ...stories,
    busyId,
    /** The same API with a key, to compare with the console. */
    api: createClient({ baseUrl, apiKey: key.secret }),
    visit(role: keyof typeof sessions, options: BrowserContextOptions = {}) {
      this.nextMinute();
      return visit(browser, baseUrl, { storageState: sessions[role], ...options });
    },
    today: () => kit.clock.now().toISOString().slice(0, 10),
    /** A browser without an account. */
    guest: () => visit(browser, baseUrl),
    /** The clock is frozen, so rate limits only reset when it is advanced. */
    nextMinute: () => kit.clock.advance(60_000),
    /** The number of pending jobs that convert the profile's money again. */
    async repriced(profileId: string): Promise<number> {
      const { rows } = await kit.owner.unbound.query(
        sql`SELECT 1 FROM pgboss.job WHERE name = 'reprice-outcomes' AND data->>'profileId' = ${profileId}`,
      );
      return rows.length;
    },
    /** Another profile of the workspace, without data. */
    another: async () => (await buildProfile(kit.app, { workspaceId: shop.workspaceId })).id,
    /** Completes the asynchronous part of erasures. */
    async completeErasures() {
      await shop.attribute();
      const stores = { app: kit.app, clickhouse: warehouse.client.settings, stream: log.stream };
      const work = { consumer: 'ingestion', opening: ingestion, now: () => kit.clock.now() };
      return processQueue(kit.system, 'erasures', erasures({ ...stores, ...work }));
    },
    async close() {
      await browser.close();
      await sandbox.close();
      await consumer.stop();
      await served.close();
      await log.destroy();
      await warehouse.drop();
      await kit.close();
    },
  };
}

/** Eva: one visit long before, three within the lookback, a page view, a payment, another visit and another payment. */
async function recordEva(shop: Scene) {
  const user_traits = {
    email: 'eva@example.test',
    phone: '+56912345678',
    external_id: 'eva-1',
    first_name: 'Eva',
    last_name: 'Soto',
  };
  const first = await shop.send({ user_traits, occurred_at: at(20) });
  const second = await shop.send({ user_traits, occurred_at: at(40) });
  const visitorId = anyUuid();
  await shop.link(visitorId, first.customerId);
  for (const [day, channel] of [
    [-80, 'paid_social'],
    [1, 'paid_search'],
    [10, 'organic_search'],
    [19, 'direct'],
    [30, 'email'],
  ] as const) {
    const seen = { visitor_id: visitorId, occurred_at: at(day), channel };
    const { visit_id } = await shop.visit({ ...seen, campaign_external_id: channel === 'paid_search' ? '101' : '' });
    await shop.touch({ ...seen, touch_id: visit_id, join_method: channel === 'paid_search' ? 'url_parameters' : '' });
  }
  await shop.visit({ visitor_id: visitorId, occurred_at: at(19.01) });
  return { customerId: first.customerId, firstId: first.outcomeId, secondId: second.outcomeId, visitorId };
}

/** Mia: arrived by an ad that the platform knows, and paid. Another ad only cost money, and the platform claims too many conversions. */
async function recordMia(boutique: Scene, sandbox: Awaited<ReturnType<typeof openAdPlatform>>['sandbox']) {
  const [winner, loser] = sandbox.book.meta.state.ads.filter(
    ({ account, status, adSet }) =>
      account.currency === 'USD' && status === 'ACTIVE' && adSet.campaign.status === 'ACTIVE',
  );
  if (!winner || !loser) throw new Error('The sandbox has no ads that run.');
  const day = (place: number) => at(place).slice(0, 10);
  const spendRow = (ad: typeof winner, more: object) => ({
    external_id: ad.id,
    name: ad.name,
    status: ad.status,
    ad_set_external_id: ad.adSet.id,
    ad_set_name: ad.adSet.name,
    campaign_external_id: ad.adSet.campaign.id,
    campaign_name: ad.adSet.campaign.name,
    ...more,
  });
  await boutique.spend(
    spendRow(winner, { date: day(50), spend: '20', conversions: '3' }),
    spendRow(loser, { date: day(50), spend: '45', conversions: '1' }),
    spendRow(winner, { date: day(59), spend: '1' }),
  );
  const user_traits = { email: 'mia@example.test', external_id: 'mia-1', first_name: 'Mia', last_name: 'Vidal' };
  const { customerId, outcomeId } = await boutique.send({ user_traits, occurred_at: at(52) });
  const visitorId = anyUuid();
  await boutique.link(visitorId, customerId);
  const seen = { visitor_id: visitorId, occurred_at: at(50) };
  const { visit_id } = await boutique.visit({ ...seen, channel: 'paid_social', path: '/boots' });
  await boutique.touch({
    ...seen,
    touch_id: visit_id,
    platform: 'social_ads',
    campaign_id: boutique.entity('campaign', winner.adSet.campaign.id),
    ad_set_id: boutique.entity('ad_set', winner.adSet.id),
    ad_id: boutique.entity('ad', winner.id),
    join_method: 'url_parameters',
  });
  await boutique.settle();
  return { customerId, outcomeId, winner, loser };
}

/** Lea: sent a message from an ad and never visited the website. */
async function recordLea(shop: Scene) {
  const user_traits = { email: 'lea@example.test', first_name: 'Lea', last_name: 'Rojas' };
  const { customerId, outcomeId } = await shop.send({
    user_traits,
    event_name: 'lead_created',
    properties: {},
    ad_id: '120210987654321',
    click_ids: { ctwa_clid: 'ARxyz' },
    occurred_at: at(5),
  });
  return { customerId, leadId: outcomeId };
}
