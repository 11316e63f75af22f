import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';
import { callTo } from '../testing.ts';
import { metaAt, openMetaAccount } from './meta.fixture.ts';
import type { MetaAccount } from './state.ts';

let now = new Date('2026-03-10T12:00:00Z');
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({
    seed: 11,
    now: () => now,
    market: { currencies: ['USD', 'EUR', 'CLP'], campaigns: 18 },
  });
});
afterEach(() => sandbox.close());

const act = () => metaAt(sandbox).act ?? expect.unreachable();
const call = () => callTo(sandbox, now);
const accountIn = (currency: string) =>
  sandbox.book.meta.state.accounts.find((one) => one.currency === currency) as MetaAccount;
const adSetIn = (currency: string) =>
  sandbox.book.meta.state.adSets.find((one) => one.account.currency === currency && one.dailyBudget !== undefined) ??
  expect.unreachable();
const adIn = (currency: string) => {
  const ads = sandbox.book.meta.state.ads.filter((one) => one.account.currency === currency && one.status === 'ACTIVE');
  return ads[0] ?? expect.unreachable();
};

describe('a Meta campaign', () => {
  it('is read live with its running ads and spend, and can be paused and resumed', async () => {
    const account = openMetaAccount(sandbox, accountIn('USD'));
    const campaign = sandbox.book.meta.state.campaigns[0] ?? expect.unreachable();
    const entity = { level: 'campaign', externalId: campaign.id } as const;
    const active = sandbox.book.meta.state.ads.filter((ad) => ad.adSet.campaign === campaign && ad.status === 'ACTIVE');
    const spent = sandbox.book.meta
      .days(campaign.account, '2026-03-03', '2026-03-09')
      .filter(({ ad }) => ad.adSet.campaign === campaign);
    const total = spent.reduce((sum, { spend }) => sum + Math.round(Number(spend) * 100), 0);
    expect(await act().read(account, entity, call())).toMatchObject({
      externalId: campaign.id,
      name: campaign.name,
      status: 'ACTIVE',
      currency: 'USD',
      activeAds: active.length,
      recentSpend: (total / 100).toFixed(2),
    });
    await act().setStatus(account, entity, 'PAUSED', call());
    expect(campaign.status).toBe('PAUSED');
    // A pause whose response was lost has been executed, and may be repeated.
    sandbox.say({ at: '/meta', method: 'POST', answer: 'lost' });
    await expect(act().setStatus(account, entity, 'ACTIVE', call())).rejects.toMatchObject({
      details: { verdict: 'wait', mayHaveHappened: true },
    });
    expect(campaign.status).toBe('ACTIVE');
    await act().setStatus(account, entity, 'ACTIVE', call());
  });

  it('is not found when the id is unknown or another account’s, and is not changed without the permission', async () => {
    const account = openMetaAccount(sandbox, accountIn('USD'));
    const foreign = sandbox.book.meta.state.campaigns.find((one) => one.account.currency === 'CLP');
    for (const externalId of ['999', foreign?.id ?? '']) {
      expect(await act().read(account, { level: 'campaign', externalId }, call())).toBeUndefined();
    }
    const reader = openMetaAccount(sandbox, accountIn('USD'), ['ads_read']);
    const entity = { level: 'ad', externalId: adIn('USD').id } as const;
    await expect(act().setStatus(reader, entity, 'PAUSED', call())).rejects.toMatchObject({
      details: { verdict: 'needs_action', code: '200' },
    });
    expect(adIn('USD').status).toBe('ACTIVE');
  });
});

describe('a Meta budget', () => {
  it.each([
    ['USD', '40.00', '44.50', '4450', '1.00'],
    ['CLP', '40', '45', '45', '1'],
  ])(
    'of %s is sent in Meta’s unit and converted back to major units',
    async (currency, before, after, units, least) => {
      const account = openMetaAccount(sandbox, accountIn(currency));
      const adSet = adSetIn(currency);
      const entity = { level: 'ad_set', externalId: adSet.id } as const;
      expect(await act().read(account, entity, call())).toMatchObject({
        dailyBudget: before,
        leastDailyBudget: least,
        currency,
        campaignStatus: 'ACTIVE',
      });
      await act().setDailyBudget?.(account, entity, after, call());
      expect(adSet.dailyBudget).toBe(units);
    },
  );

  it('is refused below the minimum, in fractions that the currency lacks, under a campaign’s budget and the fifth time in an hour', async () => {
    const account = openMetaAccount(sandbox, accountIn('CLP'));
    const adSet = adSetIn('CLP');
    const set = (amount: string, externalId = adSet.id) =>
      act().setDailyBudget?.(account, { level: 'ad_set', externalId }, amount, call());
    await expect(set('0')).rejects.toMatchObject({ details: { verdict: 'refused', code: '100/1487901' } });
    await expect(set('45.5')).rejects.toMatchObject({ details: { verdict: 'refused', code: 'amount_not_possible' } });
    const below = sandbox.book.meta.state.adSets.find((one) => one.account.currency === 'CLP' && !one.dailyBudget);
    await expect(set('50', below?.id)).rejects.toMatchObject({
      details: { verdict: 'refused', says: expect.any(String) },
    });
    expect(await act().read(account, { level: 'ad_set', externalId: below?.id ?? '' }, call())).toMatchObject({
      dailyBudget: null,
    });
    now = new Date(now.getTime() + 3_600_000);
    for (const amount of ['46', '47', '48', '49']) await set(amount);
    await expect(set('50')).rejects.toMatchObject({
      details: { verdict: 'wait', code: '613/1487632', retryAfterMs: 3_600_000 },
    });
    expect(adSet.dailyBudget).toBe('49');
  });
});

describe('Meta URL tags', () => {
  it('are set by a new creative of the same post, and removed by restoring the previous one', async () => {
    const account = openMetaAccount(sandbox, accountIn('USD'));
    const ad = adIn('USD');
    const { creatives } = sandbox.book.meta.state;
    const former = ad.creativeId;
    const undo = await act().setUrlTags?.(account, ad.id, { urlTags: 'tributary_ad={{ad.id}}' }, call());
    expect(undo).toEqual({ creativeId: former });
    expect(ad.creativeId).not.toBe(former);
    expect(creatives.get(ad.creativeId)).toMatchObject({
      urlTags: 'tributary_ad={{ad.id}}',
      storyId: creatives.get(former)?.storyId,
    });
    const live = await act().read(account, { level: 'ad', externalId: ad.id }, call());
    expect(live?.creative).toMatchObject({ externalId: ad.creativeId, urlTags: 'tributary_ad={{ad.id}}' });
    // Repeating the request creates no third creative.
    const size = creatives.size;
    await act().setUrlTags?.(account, ad.id, { urlTags: 'tributary_ad={{ad.id}}' }, call());
    expect(creatives.size).toBe(size);
    await act().setUrlTags?.(account, ad.id, undo ?? { creativeId: '' }, call());
    expect(ad.creativeId).toBe(former);
    const archived = sandbox.book.meta.state.ads.find(
      (one) => one.status === 'ARCHIVED' && one.account.currency === 'USD',
    );
    await expect(act().setUrlTags?.(account, archived?.id ?? '', { urlTags: 'a=b' }, call())).rejects.toMatchObject({
      details: { verdict: 'refused', code: 'archived' },
    });
  });
});
