import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { openTestWithClickHouse } from '@tributary/testkit';
import { attributionModelNames } from '@tributary/vocabulary';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { banner, film, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();
const path = '/campaigns/platform-comparison';

interface Compared {
  readonly platform: string;
  readonly name: string;
  readonly [field: string]: unknown;
}
const of = (platform: string, rows: readonly Compared[]) => rows.find((row) => row.platform === platform);

describe('Platform-reported and credited results', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  let data: { readonly platforms: readonly Compared[]; readonly rows: readonly Compared[] };
  /** Both rows of social_ads, which reports more than is credited. search_ads reports nothing, tiktok reports less. */
  let both: readonly (Compared | undefined)[];
  beforeAll(async () => {
    shop = await openShop(world);
    await shop.spend(
      { ...film, spend: '50', conversions: '2.5', conversion_value: '199.99' },
      { ...film, date: '2026-05-02', spend: '50', conversions: '1.5', conversion_value: '0.01' },
      { ...banner, platform: 'search_ads', spend: '10' },
      { ...banner, platform: 'tiktok', spend: '8', conversions: '1', conversion_value: '2' },
    );
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '100.50');
    const refunded = { idempotency_key: 'refunded' };
    await shop.pay('ana', 3, '60', refunded);
    await shop.pay('ana', 3, '20', refunded);
    await shop.lead('ana', 3);
    shop.click('ben', 1, { ...outlet, platform: 'search_ads' });
    await shop.lead('ben', 2);
    shop.click('cal', 1, { ...outlet, platform: 'tiktok' });
    for (const day of [2, 3]) await shop.pay('cal', day, '3');
    await shop.settle();
    ({ data } = await shop.read(path));
    both = [of('social_ads', data.platforms), of('social_ads', data.rows)];
  });

  test('[comp-021] [comp-027] have one total per platform and one row per entity', () => {
    expect(Object.keys(data).sort()).toEqual(['platforms', 'rows']);
    expect(of('social_ads', data.rows)).toMatchObject({
      entity_id: shop.entity('campaign', 'winter'),
      external_id: 'winter',
      name: 'Winter',
    });
  });

  test('[comp-001] [comp-002] list every platform once and every campaign once', () => {
    const platforms = ['search_ads', 'social_ads', 'tiktok'];
    expect(data.platforms.map(({ platform }) => platform).sort()).toEqual(platforms);
    expect(data.rows.map(({ platform, name }) => [platform, name]).sort()).toEqual([
      ['search_ads', 'Outlet'],
      ['social_ads', 'Winter'],
      ['tiktok', 'Outlet'],
    ]);
  });

  test('[comp-003] [comp-004] [comp-009] [comp-028] have both sides and their gaps in totals and rows alike, and no sum of the two', () => {
    const sides = [
      'spend',
      'platform_conversions',
      'platform_conversion_value',
      'atribu_conversions',
      'atribu_cash_conversions',
      'atribu_cash_credits',
      'atribu_cash_revenue',
      'conversion_gap',
      'conversion_gap_pct',
      'value_gap',
      'platform_roas',
      'atribu_roas',
    ];
    const named = ['platform', 'entity_id', 'external_id', 'name'];
    expect(Object.keys(data.rows[0] as object).sort()).toEqual([...named, ...sides].sort());
    for (const total of data.platforms) expect(Object.keys(total)).toEqual(expect.arrayContaining(sides));
  });

  test('[comp-005] are null, not zero, where the platform reported nothing, like every figure derived from it', () => {
    for (const rows of [data.platforms, data.rows])
      expect(of('search_ads', rows)).toMatchObject({
        platform_conversions: null,
        platform_conversion_value: null,
        conversion_gap: null,
        conversion_gap_pct: null,
        value_gap: null,
        platform_roas: null,
        atribu_conversions: 1,
        atribu_cash_conversions: 0,
        atribu_cash_revenue: '0.00',
        atribu_roas: 0,
      });
  });

  test('[comp-007] [comp-008] count credited conversions of every kind, and cash payments separately', () => {
    for (const row of both) expect(row).toMatchObject({ atribu_conversions: 3, atribu_cash_conversions: 2 });
  });

  test('use the corrected amount of a payment', () => {
    // 100.50, and 60 of which 40 were refunded.
    for (const row of both) expect(row).toMatchObject({ atribu_cash_revenue: '120.50' });
  });

  test('[comp-011] [comp-012] [comp-013] return the gap, negative where the platform reports more', () => {
    for (const row of both)
      expect(row).toMatchObject({ conversion_gap: -1, conversion_gap_pct: -25, value_gap: '-79.50' });
    expect(of('tiktok', data.rows)).toMatchObject({ conversion_gap: 1, conversion_gap_pct: 100, value_gap: '4.00' });
  });

  test('[comp-014] [comp-015] divide each side’s value by spend', () => {
    for (const row of both) expect(row).toMatchObject({ spend: 100, platform_roas: 2, atribu_roas: 1.205 });
  });
});

test('[comp-006] converts platform-reported value into the profile’s currency', async () => {
  const shop = await openShop(world, { reportingCurrency: 'CLP' });
  const quote = (currency: string, units: string) => ({ day: '2026-05-01', currency, units, usd: '1' });
  await saveRates(world.kit.system, 'file', [quote('USD', '1'), quote('CLP', '900'), quote('EUR', '0.8')]);
  await shop.spend({ ...film, currency: 'EUR', spend: '2', conversions: '1', conversion_value: '4' });
  shop.click('ana', 1, winter);
  await shop.pay('ana', 1.5, '9000', { properties: { value: '9000', currency: 'CLP' } });
  await shop.settle();
  const { data } = await shop.read(path);
  // One euro is 1,125 pesos.
  const expected = {
    spend: 2_250,
    platform_conversion_value: '4500',
    value_gap: '4500',
    platform_roas: 2,
    atribu_roas: 4,
  };
  expect(of('social_ads', data.platforms)).toMatchObject(expected);
  expect(of('social_ads', data.rows)).toMatchObject(expected);
});

test('platform-reported value without an exchange rate is null with an exclusion, not zero', async () => {
  const shop = await openShop(world, { reportingCurrency: 'CLP' });
  await shop.spend(
    { ...film, currency: 'KWD', spend: '2', conversions: '1', conversion_value: '117.98' },
    { ...film, date: '2026-05-02', currency: 'KWD', spend: '1', conversions: '0', conversion_value: '0' },
  );
  shop.click('ana', 1, winter);
  await shop.pay('ana', 1.5, '9000', { properties: { value: '9000', currency: 'CLP' } });
  await shop.settle();
  const { data, meta } = await shop.read(path);
  for (const rows of [data.platforms, data.rows])
    expect(of('social_ads', rows)).toMatchObject({
      spend: null,
      platform_conversions: 1,
      platform_conversion_value: null,
      value_gap: null,
      platform_roas: null,
    });
  const without = { reason: 'no_exchange_rate', currency: 'KWD' };
  expect(meta.exclusions).toEqual([
    { of: 'spend', ...without, count: 2, amount: '3.000' },
    { of: 'platform_value', ...without, count: 1, amount: '117.980' },
  ]);
});

describe('Payments credited to platforms', () => {
  const platforms = ['social_ads', 'search_ads', 'tiktok'];
  /** Customers with up to four touches, each of a platform or of none, and up to two payments, some fully refunded. */
  const histories = fc.array(
    fc.record({
      touches: fc.array(fc.constantFrom(...platforms, ''), { minLength: 1, maxLength: 4 }),
      payments: fc.array(fc.constantFrom('100.01', '0.01', '33.33', '5'), { minLength: 1, maxLength: 2 }),
      isRefunded: fc.boolean(),
    }),
    { minLength: 6, maxLength: 10 },
  );

  test('never exceed all payments, and equal them where every touch is an ad, under all six models', async () => {
    const [found = []] = fc.sample(histories, 1);
    const shop = await openShop(world);
    let paid = 0;
    for (const [customer, { touches, payments, isRefunded }] of found.entries()) {
      for (const [at, platform] of touches.entries())
        shop.click(`p${customer}`, 1 + at / 2, platform === '' ? {} : { ...winter, platform });
      for (const [at, value] of payments.entries()) {
        const key = `payment-${customer}-${at}`;
        await shop.pay(`p${customer}`, 5 + at, value, { idempotency_key: key });
        if (isRefunded)
          await shop.event(`p${customer}`, 6 + at, {
            event_name: 'refund',
            refund_of: key,
            properties: { value, currency: 'USD' },
          });
        paid += 1;
      }
    }
    await shop.settle();
    const ofAds = found.filter(({ touches }) => !touches.includes(''));
    const paidByAds = ofAds.reduce((sum, { payments }) => sum + payments.length, 0);
    for (const model of attributionModelNames) {
      const { data } = await shop.read(path, { model });
      const credited = data.platforms.map(({ atribu_cash_credits: credits }: Compared) => credits as number);
      const sum = credited.reduce((all: number, one: number) => all + Math.round(one * 1_000_000), 0) / 1_000_000;
      expect([model, sum <= paid, sum >= paidByAds]).toEqual([model, true, true]);
      for (const [index, row] of data.rows.entries())
        expect([model, index, row.atribu_cash_credits <= row.atribu_cash_conversions]).toEqual([model, index, true]);
    }
  });

  test('are fractions where the path has several platforms, and whole in the counts', async () => {
    const shop = await openShop(world);
    shop.click('ana', 1, winter);
    shop.click('ana', 2, { ...winter, platform: 'tiktok' });
    shop.click('ana', 3, winter);
    await shop.pay('ana', 4, '100');
    await shop.settle();
    const { data } = await shop.read(path, { model: 'linear' });
    const figures = ({ atribu_cash_conversions, atribu_cash_credits }: Compared) => [
      atribu_cash_conversions,
      atribu_cash_credits,
    ];
    expect(data.platforms.map(figures)).toEqual([
      [1, 0.6667],
      [1, 0.3333],
    ]);
  });
});

describe('A platform total', () => {
  let platforms: readonly Compared[];
  beforeAll(async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '1' }, { ...film, date: '2026-05-10', spend: '1' });
    shop.click('ana', 1, { platform: 'social_ads' });
    await shop.pay('ana', 2, '30');
    shop.click('ben', 1, { platform: 'tiktok' });
    await shop.lead('ben', 2);
    shop.click('cal', 1);
    await shop.pay('cal', 2, '1');
    await shop.settle();
    ({ platforms } = (await shop.read(path, { date_to: '2026-05-05' })).data);
  });

  test('[comp-016] [comp-017] states the basis of its conversion count', () => {
    expect(platforms).toHaveLength(2);
    for (const total of platforms)
      for (const field of ['reported_basis', 'has_delivery', 'delivery_through', 'unassigned_conversions'])
        expect(total).toHaveProperty(field);
    expect(of('social_ads', platforms)).toMatchObject({
      reported_basis: expect.stringMatching(/^each ad set's own attribution setting, 7-day click/),
    });
  });

  test('[comp-018] [comp-019] states whether and up to which day delivery was reported', () => {
    expect(of('social_ads', platforms)).toMatchObject({ has_delivery: true, delivery_through: '2026-05-10' });
    expect(of('tiktok', platforms)).toMatchObject({ has_delivery: false, delivery_through: null });
  });

  test('[comp-020] has the credit of paid clicks that named no ad', () => {
    expect(of('social_ads', platforms)).toMatchObject({
      atribu_conversions: 0,
      unassigned_conversions: 1,
      unassigned_cash_revenue: '30.00',
    });
    expect(of('tiktok', platforms)).toMatchObject({ unassigned_conversions: 1, unassigned_cash_revenue: '0.00' });
  });
});

test('[comp-020] credit of paid clicks that named no ad is the same at every level', async () => {
  const shop = await openShop(world);
  shop.click('ana', 1, { ad: 'stranger' });
  await shop.pay('ana', 2, '9.99');
  shop.click('ben', 1, { campaign: 'winter' });
  await shop.pay('ben', 2, '20');
  shop.click('cal', 1, {}, { platform: 'social_ads', medium: 'paid' });
  await shop.pay('cal', 2, '5');
  await shop.settle();
  for (const level of ['campaign', 'ad_set', 'ad']) {
    const { data } = await shop.read(path, { level });
    expect([level, of('social_ads', data.platforms)]).toMatchObject([
      level,
      { unassigned_conversions: 2, unassigned_cash_revenue: '25.00' },
    ]);
  }
});

describe('The query of the platform comparison', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  beforeAll(async () => {
    shop = await openShop(world);
    await shop.spend({ ...film, date: '2026-05-10', spend: '3' });
    shop.click('ana', 1, winter);
    shop.click('ana', 2, outlet);
    await shop.pay('ana', 10.9, '5');
    await shop.settle();
  });

  test('[comp-022] [comp-023] [lim-012] [err-022] requires two days at most 366 days apart', async () => {
    expect(await shop.refused(path, { date_from: '' })).toEqual([400, 'invalid_date_range']);
    expect(await shop.refused(path, { date_to: '' })).toEqual([400, 'invalid_date_range']);
    const from = { date_from: '2026-05-01' };
    expect(await shop.refused(path, { ...from, date_to: '2027-05-02' })).toEqual([400, 'invalid_date_range']);
    expect((await shop.read(path, { ...from, date_to: '2027-05-01' })).data.platforms).toHaveLength(1);
  });

  test('[comp-024] includes the last day to its end', async () => {
    const whole = await shop.read(path, { date_from: '2025-05-10', date_to: '2026-05-10' });
    expect(of('social_ads', whole.data.platforms)).toMatchObject({ spend: 3, atribu_conversions: 1 });
    const before = await shop.read(path, { date_from: '2025-05-10', date_to: '2026-05-09' });
    expect(of('social_ads', before.data.platforms)).toMatchObject({ spend: 0, atribu_conversions: 0 });
  });

  test('[comp-025] [comp-026] defaults to campaigns under last_touch', async () => {
    const names = async (query: object) =>
      Object.fromEntries(
        (await shop.read(path, query)).data.rows.map((row: Compared) => [
          row.name || row.entity_id,
          row.atribu_cash_revenue,
        ]),
      );
    const [outletId, bannerId, loyalId] = [
      shop.entity('campaign', 'outlet'),
      shop.entity('ad', 'banner'),
      shop.entity('ad_set', 'loyal'),
    ];
    expect(await names({})).toEqual({ Winter: '0.00', [outletId]: '5.00' });
    expect((await shop.read(path)).meta.model).toBe('last_touch');
    expect(await names({ model: 'first_touch' })).toEqual({ Winter: '5.00' });
    expect(await names({ level: 'ad' })).toEqual({ Film: '0.00', [bannerId]: '5.00' });
    expect(await names({ level: 'ad_set' })).toEqual({ Broad: '0.00', [loyalId]: '5.00' });
  });

  test('counts a conversion once for a platform when two of its ads share the credit', async () => {
    const linear = (await shop.read(path, { model: 'linear' })).data.platforms;
    expect(of('social_ads', linear)).toMatchObject({ atribu_conversions: 1, atribu_cash_revenue: '5.00' });
  });
});
