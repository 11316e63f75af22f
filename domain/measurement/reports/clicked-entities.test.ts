import { randomUUID } from 'node:crypto';
import { openTestWithClickHouse } from '@tributary/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { banner, may, openShop } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

/** A visit from an ad, with the touch that ingestion derives from it. */
async function arrive(shop: Awaited<ReturnType<typeof openShop>>, person: string, ids: Record<string, string>) {
  const visitorId = randomUUID();
  const { campaign = '', ad_set = '', ad = '' } = ids;
  const row = await shop.visit({
    visitor_id: visitorId,
    occurred_at: may(1),
    platform: 'social_ads',
    campaign_external_id: campaign,
    ad_set_external_id: ad_set,
    ad_external_id: ad,
  });
  await shop.touch({
    visitor_id: visitorId,
    touch_id: row.visit_id,
    occurred_at: may(1),
    kind: 'visit',
    medium: 'paid',
    platform: 'social_ads',
    ...(campaign && { campaign_id: shop.entity('campaign', campaign) }),
    ...(ad_set && { ad_set_id: shop.entity('ad_set', ad_set) }),
    ...(ad && { ad_id: shop.entity('ad', ad) }),
  });
  await shop.pay(person, 2, '9.99');
  await shop.link(visitorId, `${person}@example.test`);
}

describe('An entity known only from clicks', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  beforeAll(async () => {
    shop = await openShop(world);
    await shop.spend({ ...banner });
    await arrive(shop, 'ana', { campaign: '120200000000000001', ad_set: '120200000000000002', ad: '1009999999' });
    await shop.pay('ben', 2, '5', { ad_id: '1008888888' });
    await shop.settle();
  });

  test.each([
    ['campaign', '120200000000000001'],
    ['ad_set', '120200000000000002'],
    ['ad', '1009999999'],
  ] as const)('appears under the platform’s id: %s', async (level, number) => {
    const rows = await shop.rows({ level });
    expect(rows[number]).toMatchObject({
      campaign_id: shop.entity(level, number),
      campaign_name: number,
      external_id: number,
      platform: 'social_ads',
      outcome_value: 9.99,
    });
    const { data } = await shop.read(`/ads/${number}`, { level });
    expect(data).toMatchObject({ campaign_id: shop.entity(level, number), external_id: number, outcome_value: 9.99 });
    const compared = await shop.read('/campaigns/platform-comparison', { level });
    expect(compared.data.rows).toContainEqual(expect.objectContaining({ external_id: number, name: number }));
  });

  test('can be looked up by that id, and appears on conversion paths', async () => {
    const { data } = await shop.read('/campaigns/1009999999/conversions', { level: 'ad' });
    expect(data).toMatchObject([
      {
        path: [
          {
            campaign_external_id: '120200000000000001',
            ad_set_external_id: '120200000000000002',
            ad_external_id: '1009999999',
          },
        ],
      },
    ]);
  });

  test('is also known from an outcome that names its ad', async () => {
    expect((await shop.read('/ads/1008888888')).data).toMatchObject({
      campaign_name: '1008888888',
      external_id: '1008888888',
      outcome_value: 5,
    });
  });

  test('gets its name when the platform reports it, and stays one row', async () => {
    const film = '1007777777';
    await arrive(shop, 'eva', { ad: film });
    await shop.spend({ external_id: film, name: 'Film' });
    await shop.settle();
    const rows = await shop.list({ level: 'ad' });
    const own = rows.filter(({ external_id }) => external_id === film);
    expect(own).toMatchObject([{ campaign_name: 'Film', outcome_value: 9.99 }]);
  });

  test('returns 404 for another profile', async () => {
    const other = await openShop(world);
    expect(await other.refused('/ads/1009999999')).toEqual([404, 'not_found']);
  });
});
