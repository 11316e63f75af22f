import type { AdAccount } from '@tributary/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { currencies, openAccounts } from './accounts.fixture.ts';

const { kit, openShop, nodesOf } = await openAccounts();

const meta = (currency: string, visible?: readonly string[]): AdAccount => ({
  channel: 'social_ads',
  currency,
  visible,
});
const google = (currency: string, visible?: readonly string[]): AdAccount => ({
  channel: 'search_ads',
  currency,
  visible,
});

/** Runs every ad operation on one account: each response has the account's currency and is recorded with its connection. */
async function operate(shop: Awaited<ReturnType<typeof openShop>>, account: AdAccount) {
  const { campaign, ad, adSet } = nodesOf(account);
  const { currency } = account;
  const status = await shop.get(`/campaigns/${campaign}/status`);
  expect(status).toMatchObject({
    data: { external_id: campaign, currency, connection_id: shop.connectionOf(account) },
  });
  const paths = [
    `/campaigns/${campaign}/pause`,
    `/campaigns/${campaign}/resume`,
    `/ads/${ad}/pause`,
    `/ads/${ad}/resume`,
  ];
  for (const path of paths)
    expect(await shop.post(path), path).toMatchObject({ status: 200, data: { before: { currency } } });
  if (adSet) {
    const rehearsed = await shop.post(`/adsets/${adSet}/budget`, { daily_budget_minor: 1_000_000, dry_run: true });
    // The step is out of bounds and the refusal contains the live budget; a rise of ten percent is applied in the account's minor units.
    expect(rehearsed).toMatchObject({ status: 422 });
    const live = Number(/which is (\d+) minor units/.exec(JSON.stringify(rehearsed))?.[1]);
    const raised = await shop.post(`/adsets/${adSet}/budget`, { daily_budget_minor: Math.round(live * 1.1) });
    expect(raised).toMatchObject({ status: 200, data: { outcome: 'applied', after: { currency } } });
    const { undo } = raised.data;
    expect(await shop.post(undo.path.replace('/api/v1', ''), undo.body)).toMatchObject({ status: 200 });
  }
  const ids = [campaign, ad, adSet];
  const { data: actions } = await shop.get('/ad-actions?limit=100');
  const ofAccount = actions.filter((one: { external_id: string }) => ids.includes(one.external_id));
  expect(new Set(ofAccount.map((one: { connection_id: string }) => one.connection_id))).toEqual(
    new Set([shop.connectionOf(account)]),
  );
}

test('runs every ad operation through the account that reported the ad, with three Meta and two Google accounts in five currencies', async () => {
  const accounts = [
    // The first token can access all three accounts, the others only their own.
    meta('EUR', ['EUR', 'USD', 'KWD']),
    meta('USD'),
    meta('KWD'),
    google('CLP', ['CLP', 'JPY']),
    google('JPY'),
  ];
  const shop = await openShop(accounts);
  await shop.sync();
  for (const account of accounts) await operate(shop, account);
});

test('operates on the right account for random sets of accounts', async () => {
  const account = fc.record({
    channel: fc.constantFrom('social_ads' as const, 'search_ads' as const),
    currency: fc.constantFrom(...currencies),
    sharesToken: fc.boolean(),
  });
  const sets = fc.uniqueArray(account, {
    minLength: 2,
    // The first sync of an account takes five seconds, so the sets are small.
    maxLength: 4,
    selector: ({ channel, currency }) => `${channel} ${currency}`,
  });
  await fc.assert(
    fc.asyncProperty(sets, async (chosen) => {
      const accounts = chosen.map(({ channel, currency, sharesToken }): AdAccount => {
        const visible = chosen.filter((one) => one.channel === channel).map((one) => one.currency);
        return { channel, currency, visible: sharesToken ? visible : [currency] };
      });
      const shop = await openShop(accounts);
      await shop.sync();
      for (const one of accounts) {
        const { campaign } = nodesOf(one);
        expect(await shop.get(`/campaigns/${campaign}/status`)).toMatchObject({
          data: { currency: one.currency, connection_id: shop.connectionOf(one) },
        });
        expect(await shop.post(`/campaigns/${campaign}/pause`, { dry_run: true })).toMatchObject({
          status: 200,
          data: { before: { currency: one.currency } },
        });
      }
    }),
    { numRuns: 3 },
  );
});

test('requires connection_id when several accounts are connected and none of them reported the campaign', async () => {
  const accounts = [meta('EUR'), meta('USD')];
  const shop = await openShop(accounts);
  const { campaign } = nodesOf(meta('EUR'));
  const row = { external_id: '1', campaign_external_id: campaign, date: '2026-06-01', currency: 'EUR', spend: '1' };
  await shop.spend(row);
  const [eur, usd] = accounts.map(shop.connectionOf);
  expect(await shop.get(`/campaigns/${campaign}/status`)).toMatchObject({
    error: { code: 'invalid_parameter', field: 'connection_id', message: expect.stringContaining(`${eur}`) },
  });
  expect(await shop.post(`/campaigns/${campaign}/pause`)).toMatchObject({
    status: 422,
    error: { field: 'connection_id' },
  });
  expect(await shop.get(`/campaigns/${campaign}/status?connection_id=${eur}`)).toMatchObject({
    data: { currency: 'EUR' },
  });
  // The other account's token cannot see the campaign, and a connection of another profile is unknown.
  expect(await shop.get(`/campaigns/${campaign}/status?connection_id=${usd}`)).toMatchObject({
    error: { code: 'campaign_not_found' },
  });
  const stranger = await openShop([meta('EUR')]);
  expect(
    await shop.get(`/campaigns/${campaign}/status?connection_id=${stranger.connectionOf(meta('EUR'))}`),
  ).toMatchObject({ error: { code: 'not_found' } });
});

test('refuses a connection_id of another account than the one that reported the campaign', async () => {
  const accounts = [meta('EUR', ['EUR', 'USD']), meta('USD', ['EUR', 'USD'])];
  const shop = await openShop(accounts);
  await shop.sync();
  const { campaign } = nodesOf(meta('EUR'));
  const path = `/campaigns/${campaign}/pause`;
  const connection_id = shop.connectionOf(meta('USD'));
  expect(await shop.post(path, { connection_id })).toMatchObject({
    status: 422,
    error: { field: 'connection_id' },
  });
  expect(await shop.post(path, { connection_id: shop.connectionOf(meta('EUR')), dry_run: true })).toMatchObject({
    status: 200,
  });
});

test('uses the new connection of an account that was disconnected and reconnected', async () => {
  const accounts = [meta('EUR'), meta('USD')];
  const shop = await openShop(accounts);
  await shop.sync();
  const { campaign } = nodesOf(meta('EUR'));
  const former = shop.connectionOf(meta('EUR'));
  await shop.post(`/connections/${former}/disconnect`);
  expect(await shop.get(`/campaigns/${campaign}/status`)).toMatchObject({
    error: { code: 'meta_connection_required' },
  });
  const again = await shop.connect(meta('EUR'));
  expect(await shop.get(`/campaigns/${campaign}/status`)).toMatchObject({
    data: { currency: 'EUR', connection_id: again },
  });
  // After the next sync the records name the new connection.
  await shop.sync();
  const { rows } = await kit.app
    .forProfile(shop.profileId)
    .transaction((tx) =>
      sql<{ id: string }>`SELECT DISTINCT connection_id AS id FROM ad_entities WHERE currency = 'EUR'`.execute(tx),
    );
  expect(rows).toEqual([{ id: again }]);
});
