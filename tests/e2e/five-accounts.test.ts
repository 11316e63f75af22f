import { readFileSync } from 'node:fs';
import { exports } from '@tributary/domain/advertising/exports/module.ts';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { completeConsent } from '@tributary/sandbox';
import { buildApiKey, buildMember, processQueue, testVault } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { openConsents } from './handoffs-scene.ts';

type Channel = 'social_ads' | 'search_ads';
interface AdAccount {
  readonly channel: Channel;
  readonly currency: string;
  /** The accounts that the token can access; defaults to the connected account. */
  readonly shares?: readonly string[];
}

const currencies = ['USD', 'EUR', 'CLP', 'MXN', 'JPY'];
/** Three accounts of Meta, two of Google. The first token of each platform can access all of its connected accounts. */
const accounts: readonly AdAccount[] = [
  { channel: 'social_ads', currency: 'USD', shares: ['USD', 'EUR', 'CLP'] },
  { channel: 'social_ads', currency: 'EUR' },
  { channel: 'social_ads', currency: 'CLP' },
  { channel: 'search_ads', currency: 'MXN', shares: ['MXN', 'JPY'] },
  { channel: 'search_ads', currency: 'JPY' },
];

const scene = await openConsents({}, { currencies, campaigns: 60 });
afterAll(() => scene.close());
const { kit, sandbox, baseUrl } = scene;
const { meta, google } = sandbox.book;
const shop = await scene.open();
const { headers } = await buildApiKey(kit.app, shop.id, {
  scopes: [
    'campaigns:apply',
    'campaigns:read',
    'connections:read',
    'connections:write',
    'attribution:write',
    'exports:read',
    'exports:write',
  ],
});
const member = await buildMember(kit.app, shop.workspaceId, 'owner');
const days = new URLSearchParams(shop.days()).toString();
const campaigns = `/campaigns?${days}&level=campaign&limit=100`;

const inShop = <Row>(statement: ReturnType<typeof sql<Row>>) =>
  kit.app.forProfile(shop.id).transaction((tx) => statement.execute(tx));

/** Calls the API over HTTP with the profile's key. */
async function call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object) {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: {
      ...headers,
      'idempotency-key': uuid(),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as { data: never; error: never; meta: never }) } as {
    status: number;
    // biome-ignore lint/suspicious/noExplicitAny: the body can have any shape; the test asserts the shape it expects.
    [field: string]: any;
  };
}

const externalIdOf = ({ channel, currency }: AdAccount): string => {
  const all: readonly { id: string; currency: string }[] =
    channel === 'social_ads' ? meta.state.accounts : google.state.customers;
  return all.find((one) => one.currency === currency)?.id ?? expect.unreachable();
};

/** Consents as a merchant without a browser, and selects the right one of several accounts. */
async function connect(account: AdAccount): Promise<string> {
  const { channel, currency, shares = [currency] } = account;
  const handoff = await shop.handoff(channel, {});
  const begun = await fetch(handoff.start_url, { redirect: 'manual' });
  const [cookie = ''] = begun.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
  const consentUrl = begun.headers.get('location') ?? '';
  const shared = shares.map((one) => externalIdOf({ channel, currency: one }));
  const answer = await completeConsent(consentUrl, { accounts: shared });
  const callback = new URL(new URL(consentUrl).searchParams.get('redirect_uri') ?? '');
  callback.search = new URLSearchParams(answer).toString();
  expect((await fetch(callback, { headers: { cookie } })).status).toBe(200);
  const { result } = await shop.read(handoff.id);
  if (result.connection_id) return result.connection_id;
  const path = `/api/v1/connections/pending/${channel}/finalize`;
  const { data } = await shop.call('POST', path, { candidate_id: externalIdOf(account) });
  return data.connection_id;
}

const nameOf = ({ channel, currency }: AdAccount): string => `${channel} ${currency}`;
const connections = new Map<string, string>();
const connectionOf = (account: AdAccount): string => connections.get(nameOf(account)) ?? expect.unreachable();
const unitsPerUsd = 4;
const ratedDays = Array.from({ length: 90 }, (_, ago) => new Date(+kit.clock.now() - ago * dayMs).toISOString());
const quotes = ratedDays.flatMap((at) =>
  currencies.map((currency) => ({
    day: at.slice(0, 10),
    currency,
    units: currency === 'USD' ? '1' : String(unitsPerUsd),
    usd: '1',
  })),
);
await saveRates(kit.system, 'file', quotes);
// Sets realistic budgets in zero-decimal currencies, and creates an ad without URL tags in each Meta account.
for (const node of [...meta.state.campaigns, ...meta.state.adSets])
  if (node.account.currency === 'CLP' && node.dailyBudget) node.dailyBudget = `${node.dailyBudget}000`;
for (const { customer, budget } of google.state.campaigns)
  if (customer.currency === 'JPY') budget.micros = 9_000_000_000n;
for (const { currency } of meta.state.accounts) {
  const ad = meta.state.ads.find((one) => one.account.currency === currency && one.status === 'ACTIVE');
  const creative = ad && meta.state.creatives.get(ad.creativeId);
  if (creative) meta.state.creatives.set(creative.id, { ...creative, urlTags: undefined });
}
for (const account of accounts) {
  const id = await connect(account);
  connections.set(nameOf(account), id);
  await scene.readAll(id);
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** The entities in the sandbox's book that belong to an account. */
function nodesOf({ channel, currency }: AdAccount) {
  if (channel === 'social_ads') {
    const { campaigns, adSets, ads, creatives } = meta.state;
    const accountOf = meta.state.accounts.find((one) => one.currency === currency) ?? expect.unreachable();
    const mine = <N extends { account: { currency: string } }>(nodes: readonly N[]) =>
      nodes.filter(({ account }) => account.currency === currency);
    const untagged = mine(ads).find((ad) => ad.status === 'ACTIVE' && !creatives.get(ad.creativeId)?.urlTags);
    return {
      campaignIds: mine(campaigns).map(({ id }) => id),
      withBudget: mine(campaigns).find(({ dailyBudget }) => dailyBudget !== undefined)?.id,
      adSet: mine(adSets).find(({ dailyBudget }) => dailyBudget !== undefined)?.id,
      ad: mine(ads).find(({ status }) => status === 'ACTIVE')?.id ?? '',
      untagged: untagged?.id,
      spend: sum(meta.days(accountOf, '2000-01-01', '2100-01-01').map((day) => Number(day.spend))),
    };
  }
  const customer = google.state.customers.find((one) => one.currency === currency) ?? expect.unreachable();
  const campaigns = google.state.campaigns.filter(({ customer }) => customer.currency === currency);
  const ads = google.state.ads.filter(({ adGroup }) => campaigns.includes(adGroup.campaign));
  return {
    campaignIds: campaigns.map(({ of }) => of.externalId),
    withBudget: campaigns.find(({ budget }) => !budget.isShared)?.of.externalId,
    adSet: undefined,
    ad: ads.find(({ status }) => status === 'ENABLED')?.of.externalId ?? '',
    untagged: undefined,
    spend: sum(google.days(customer, 'campaign').map((day) => Number(day['metrics.cost_micros']) / 1e6)),
  };
}

/** The statuses and budgets of all campaigns, ad sets and ads by id, with their account's currency. */
const book = () =>
  new Map<string, string>([
    ...[...meta.state.campaigns, ...meta.state.adSets].map(
      (one) => [`${one.account.currency} ${one.id}`, `${one.status} ${one.dailyBudget}`] as const,
    ),
    ...meta.state.ads.map((one) => [`${one.account.currency} ${one.id}`, `${one.status} ${one.creativeId}`] as const),
    ...google.state.campaigns.map(
      (one) => [`${one.customer.currency} ${one.of.externalId}`, `${one.status} ${one.budget.micros}`] as const,
    ),
    ...google.state.ads.map(
      (one) => [`${one.adGroup.campaign.customer.currency} ${one.of.externalId}`, one.status] as const,
    ),
  ]);

/** The currencies of the accounts that `work` changed. */
async function changedBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = book();
  await work();
  const changed = [...book()].filter(([key, state]) => before.get(key) !== state);
  return [...new Set(changed.map(([key]) => key.split(' ')[0] as string))];
}

/** Changes in steps of a tenth, in units of the account's currency; the undo restores the live value. */
async function changeBudget(path: string, currency: string) {
  const tooMuch = await call('POST', path, { daily_budget_minor: 1_000_000_000, dry_run: true });
  const live = Number(/which is (\d+) minor units/.exec(JSON.stringify(tooMuch))?.[1]);
  expect(live).toBeGreaterThan(0);
  const raised = await call('POST', path, { daily_budget_minor: Math.round(live * 1.1) });
  expect(raised, JSON.stringify(raised)).toMatchObject({
    status: 200,
    data: { outcome: 'applied', after: { currency } },
  });
  const { undo } = raised.data;
  expect(await call('POST', undo.path.replace('/api/v1', ''), undo.body)).toMatchObject({ status: 200 });
  const lowered = await call('POST', path, { daily_budget_minor: Math.round(live * 0.9) });
  expect(lowered, JSON.stringify(lowered)).toMatchObject({ status: 200 });
}

// The order matters: the last test disconnects an account.
describe('five accounts of one profile', { shuffle: false }, () => {
  describe.each(accounts.map((account) => [nameOf(account), account] as const))('%s', (_name, account) => {
    const { channel, currency } = account;
    const usd = currency === 'USD' ? 1 : 1 / unitsPerUsd;
    const connection_id = connectionOf(account);

    test('change status and budgets of this account alone, in its currency', async () => {
      const { campaignIds, withBudget, adSet, ad } = nodesOf(account);
      const [campaign] = campaignIds;
      expect(await call('GET', `/campaigns/${campaign}/status`)).toMatchObject({
        status: 200,
        data: { external_id: campaign, currency, connection_id },
      });
      const steps = [`/campaigns/${campaign}/pause`, `/ads/${ad}/pause`, `/ads/${ad}/resume`];
      for (const path of steps) {
        const work = async () =>
          expect(await call('POST', path), path).toMatchObject({ status: 200, data: { before: { currency } } });
        expect(await changedBy(work)).toEqual([currency]);
      }
      expect(await call('POST', `/campaigns/${campaign}/resume`)).toMatchObject({ status: 200 });
      const budgets = [withBudget && `/campaigns/${withBudget}/budget`, adSet && `/adsets/${adSet}/budget`];
      for (const path of budgets.filter((one) => one !== undefined))
        expect(await changedBy(() => changeBudget(path, currency))).toEqual([currency]);
      const { data: actions } = await call('GET', '/ad-actions?limit=100');
      const ids = [campaign, ad, adSet, withBudget];
      const mine = actions.filter((one: { external_id: string }) => ids.includes(one.external_id));
      expect(mine.length).toBeGreaterThan(4);
      expect(new Set(mine.map((one: { connection_id: string }) => one.connection_id))).toEqual(
        new Set([connection_id]),
      );
    });

    test("list the account's campaigns under its name, and filter by it", async () => {
      const { campaignIds, spend } = nodesOf(account);
      type Row = Record<'external_id' | 'connection_id' | 'account_name', string> & { spend: number };
      const filtered: Row[] = (await call('GET', `${campaigns}&connection_id=${connection_id}`)).data;
      const all: Row[] = (await call('GET', campaigns)).data;
      const mine = all.filter((row) => row.connection_id === connection_id);
      expect(mine.length).toBeGreaterThan(0);
      expect(filtered).toEqual(mine);
      expect(new Set(mine.map((row) => row.account_name))).toEqual(
        new Set([`Sandbox ${channel === 'social_ads' ? 'ads' : 'search'} ${currency}`]),
      );
      expect(mine.map((row) => row.external_id).filter((id) => !campaignIds.includes(id))).toEqual([]);
      // The explanation of the account's total adds up to these rows.
      const { data } = await call('GET', `/explain?field=spend&${days}&connection_id=${connection_id}`);
      const total = sum(mine.map((row) => row.spend));
      // Each campaign's spend is rounded to the cent.
      const rounding = 0.01 * mine.length + 0.001;
      expect(Math.abs(total - Number(data.value))).toBeLessThan(rounding);
      expect(Math.abs(total - spend * usd)).toBeLessThan(rounding);
      const budgets = (await call('GET', `/campaigns?${days}&level=ad_set&limit=100&connection_id=${connection_id}`))
        .data as { budget_currency: string | null }[];
      for (const { budget_currency } of budgets) expect([null, currency]).toContain(budget_currency);
    });

    test('read pixels, pages and URL tags of this account', async () => {
      const pixels = await call('GET', `/connections/${connection_id}/pixels`);
      if (channel === 'search_ads') return expect(pixels.error.code).toBe('not_implemented');
      const pixelIds = meta.state.accounts.find((one) => one.currency === currency)?.pixels.map(({ id }) => id);
      expect(pixels.data.pixels.map(({ id }: { id: string }) => id)).toEqual(pixelIds);
      const pages = '/integrations/adplatform/pages';
      const [page] = (await call('GET', `${pages}?connection_id=${connection_id}`)).data.pages;
      expect(await call('POST', pages, { page_ids: [page.id], connection_id })).toMatchObject({
        status: 200,
        data: { connection_id },
      });
      const { untagged } = nodesOf(account);
      const apply = { ad_ids: [untagged], acknowledge_learning_reset: true, applied_by: member.userId };
      const work = async () =>
        expect((await call('POST', '/quality/ad-ids/url-tags/apply', apply)).data.ads).toMatchObject([
          { ad_external_id: untagged, result: 'applied' },
        ]);
      expect(await changedBy(work)).toEqual([currency]);
      expect((await call('POST', '/quality/ad-ids/url-tags/undo', { ad_id: untagged })).status).toBe(200);
    });
  });

  test('require connection_id to select pages when several accounts are connected', async () => {
    const { error } = await call('POST', '/integrations/adplatform/pages', { page_ids: [] });
    expect(error).toMatchObject({ code: 'validation_error', field: 'connection_id' });
  });

  test("export a conversion to the pixel of each account, with that account's token", async () => {
    const metas = accounts.filter(({ channel }) => channel === 'social_ads');
    const pixelOf = ({ currency }: AdAccount) =>
      meta.state.accounts.find((one) => one.currency === currency)?.pixels[0]?.id ?? '';
    const targets = metas.map((account) => ({
      connection_id: connectionOf(account),
      dataset: pixelOf(account),
      events: { payment_received: 'Purchase' },
      every_minutes: 1,
    }));
    expect((await call('PUT', '/conversion-sync/catalog', { exports: targets })).status).toBe(200);
    kit.clock.advance(60_000);
    const paid = await call('POST', '/events', {
      idempotency_key: 'order-1',
      event_name: 'payment_received',
      occurred_at: kit.clock.now().toISOString(),
      user_traits: { email: 'eva@example.com' },
      properties: { value: '25.00', currency: 'USD' },
    });
    expect(paid.status, JSON.stringify(paid)).toBe(202);
    for (const account of metas) {
      const preview = await call('GET', `/exports/preview?connection_id=${connectionOf(account)}`);
      expect(preview.data).toHaveLength(1);
    }
    const stores = { app: kit.app, vault: testVault, providers: scene.providers, now: () => kit.clock.now() };
    const handler = exports({
      ...stores,
      providerOutbound: scene.providerOutbound,
      gate: createPersonalDataGate(kit.app),
    });
    await inShop(sql`UPDATE export_events SET due_at = '2020-01-01'`);
    await processQueue(kit.system, 'exports', handler, shop.id);
    expect(meta.events.kept.map(({ dataset }) => dataset).sort()).toEqual(metas.map(pixelOf).sort());
  });

  test('reassign entities without a connection to the account with their currency', async () => {
    const owners = async () =>
      (
        await kit.app.forProfile(shop.id).transaction((tx) =>
          sql<{ id: string; owner: string | null }>`
            SELECT id, connection_id AS owner FROM ad_entities WHERE currency IS NOT NULL ORDER BY id`.execute(tx),
        )
      ).rows;
    const before = await owners();
    expect(new Set(before.map(({ owner }) => owner)).size).toBe(accounts.length);
    await inShop(sql`UPDATE ad_entities SET connection_id = NULL`);
    expect(new Set((await owners()).map(({ owner }) => owner))).toEqual(new Set([null]));
    const file = new URL('../../packages/postgres/migrations/0235_entity_connections.sql', import.meta.url);
    const migration = readFileSync(file, 'utf8');
    await kit.owner.unbound.query(sql.raw(migration.slice(migration.indexOf('CREATE POLICY backfill'))) as never);
    expect(await owners()).toEqual(before);
  });

  test('stop operations of a disconnected account, and keep the others and its history', async () => {
    const [other, gone] = accounts as [AdAccount, AdAccount];
    const campaign = nodesOf(gone).campaignIds[0];
    const id = connectionOf(gone);
    const report = async () => (await call('GET', `${campaigns}&connection_id=${id}`)).data;
    const before = await report();
    expect((await call('POST', `/connections/${id}/disconnect`)).status).toBe(200);
    // The other account's token could access the campaign, but is not used for it.
    expect(await call('GET', `/campaigns/${campaign}/status`)).toMatchObject({
      error: { code: 'meta_connection_required' },
    });
    expect(await call('POST', `/campaigns/${campaign}/pause`)).toMatchObject({
      error: { code: 'meta_connection_required' },
    });
    expect(await report()).toEqual(before);
    const live = nodesOf(other).campaignIds[0];
    expect(await call('GET', `/campaigns/${live}/status`)).toMatchObject({
      status: 200,
      data: { currency: other.currency, connection_id: connectionOf(other) },
    });
    // Reconnecting yields the same account under a new connection.
    const again = await connect(gone);
    expect(again).not.toBe(id);
    await scene.readAll(again);
    expect(await call('GET', `/campaigns/${campaign}/status`)).toMatchObject({
      status: 200,
      data: { currency: gone.currency, connection_id: again },
    });
  });
});
