import { openTestWithClickHouse } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';
import { aboutItself, banner, film, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

describe('Rows and unattributed results', () => {
  test('[camp-016] [camp-036] [camp-056] [camp-057] add up to all conversions at every level under single-touch models', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film }, { ...banner });
    shop.click('ana', 1, { ad: 'film' });
    await shop.pay('ana', 2, '10.01');
    shop.click('ben', 1, { campaign: 'outlet' });
    await shop.pay('ben', 2, '20.02');
    shop.click('cal', 1, { adSet: 'loyal' });
    await shop.lead('cal', 2);
    shop.click('dan', 1);
    shop.click('dan', 2, winter);
    await shop.pay('dan', 3, '40.04');
    await shop.pay('eve', 3, '80.08');
    await shop.settle();
    for (const model of ['last_touch', 'first_touch', 'last_non_direct']) {
      for (const level of ['campaign', 'ad_set', 'ad']) {
        const rest = (await shop.read('/campaigns/unattributed', { model, level })).data;
        const parts = [...Object.values(await shop.rows({ model, level })), rest];
        const sum = (figure: string) => parts.reduce((total, row) => total + Math.round(row[figure] * 100), 0) / 100;
        expect([model, level, sum('outcome_count'), sum('outcome_value')]).toEqual([model, level, 4, 150.15]);
        expect([sum('attributed_outcome_count'), sum('outcome_count_first_payment')]).toEqual([5, 4]);
      }
    }
    expect(await shop.read('/campaigns/unattributed', { model: 'last_touch', level: 'ad' })).toEqual({
      data: {
        entity_level: 'ad',
        outcome_count: 2,
        outcome_value: 100.1,
        outcome_count_first_payment: 2,
        attributed_outcome_count: 3,
        attributed_outcomes_by_type: { lead_created: 1, payment_received: 2 },
        partly_credited_count: 0,
      },
      meta: {
        profile_id: shop.profileId,
        date_from: '2026-05-01',
        date_to: '2026-05-31',
        model: 'last_touch',
        currency: 'USD',
        ...aboutItself,
      },
    });
    // A link that names only the ad also credits its ad set and campaign.
    expect(await shop.rows()).toMatchObject({
      Winter: { outcome_value: 50.05 },
      Outlet: { outcome_value: 20.02, attributed_outcome_count: 2 },
    });
    expect((await shop.read('/campaigns/unattributed')).data).toMatchObject({
      entity_level: 'campaign',
      outcome_value: 80.08,
    });
  });

  test('[camp-056] count conversions without any share, sum all uncredited value, and return the number of partly credited payments', async () => {
    const shop = await openShop(world);
    // Part of ana's payment and lead is unattributed; all of ben's payment is.
    shop.click('ana', 1);
    shop.click('ana', 2, winter);
    const shared = await shop.pay('ana', 3, '10');
    await shop.lead('ana', 3.5);
    shop.click('ben', 1);
    const left = await shop.pay('ben', 2, '7');
    await shop.settle();
    const model = 'linear';
    for (const level of ['campaign', 'ad_set', 'ad']) {
      expect((await shop.read('/campaigns/unattributed', { model, level })).data).toEqual({
        entity_level: level,
        outcome_count: 1,
        outcome_value: 12,
        outcome_count_first_payment: 1,
        attributed_outcome_count: 1,
        attributed_outcomes_by_type: { payment_received: 1 },
        partly_credited_count: 1,
      });
      const listed = await shop.read('/campaigns/unattributed/conversions', { model, level });
      expect(listed.data.map((row: { outcome_event_id: string }) => row.outcome_event_id)).toEqual([left]);
      const explained = async (field: string) =>
        (await shop.read('/explain', { field, entity_id: 'unattributed', model, level })).data;
      expect(await explained('outcome_count')).toMatchObject({ value: '1', row_count: 1 });
      const value = await explained('outcome_value');
      expect(value).toMatchObject({ value: '12.00', row_count: 2 });
      expect(
        value.conversions.map((row: { outcome_event_id: string; contributes: string }) => [
          row.outcome_event_id,
          row.contributes,
        ]),
      ).toEqual([
        [shared, '5.00'],
        [left, '7.00'],
      ]);
    }
  });

  test('a deposit and its balance count as one first purchase, even when credited to different campaigns', async () => {
    const shop = await openShop(world);
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '30');
    shop.click('ana', 3, outlet);
    await shop.pay('ana', 5, '70');
    await shop.pay('ana', 25, '5');
    await shop.settle();
    const rows = await shop.rows();
    const of = (campaign: string) => rows[shop.entity('campaign', campaign)];
    expect(of('winter')).toMatchObject({ outcome_count: 1, outcome_count_first_payment: 1, outcome_value: 30 });
    expect(of('outlet')).toMatchObject({ outcome_count: 2, outcome_count_first_payment: 0, outcome_value: 75 });
    expect((await shop.read('/campaigns/unattributed')).data.attributed_outcome_count).toBe(0);
  });
});
