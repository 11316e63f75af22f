import { matchSales, providePayments } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { openExports } from './exports.fixture.ts';

const { kit, platform, shop: open } = await openExports();

async function openShop() {
  const shop = await open();
  return {
    ...shop,
    /** A payment reported by the business with the provider's id. */
    reportByBusiness: (key: string, value: string) =>
      shop.pay(key, { properties: { value, currency: 'USD', payment_id: `ch_of_${key}` } }),
    /** The same payment, as the provider reports it. */
    reportByProvider: (key: string, value: string) =>
      providePayments(kit, shop.profileId, { source: 'payments_a' }, [
        { id: `ch_of_${key}`, customer: 'eva', value, at: kit.clock.now() },
      ]),
    match: () => matchSales(kit),
    reject: () =>
      shop.rows(
        sql`WITH pair AS (SELECT profile_id, first_id, second_id FROM sale_matches WHERE valid_to IS NULL),
          decided AS (INSERT INTO sale_decisions SELECT profile_id, first_id, second_id, 'rejected', 'user', 'u', now() FROM pair)
          INSERT INTO dirty_sales (profile_id, outcome_id) SELECT profile_id, first_id FROM pair`,
      ),
  };
}

let shop: Awaited<ReturnType<typeof openShop>>;
beforeEach(async () => {
  platform.receivedEvents.length = 0;
  platform.calls.length = 0;
  platform.lost = 0;
  shop = await openShop();
});

const sent = () => platform.receivedEvents.map(({ event_id, custom_data }) => [event_id, custom_data?.value]);
const charge = (key: string) => `payments_a:ch_of_${key}:payment_received`;

describe('the conversion of a sale that two sources reported', () => {
  test('is sent once, under the key that a pixel uses and with the counted amount', async () => {
    await shop.reportByBusiness('order-1', '49.90');
    await shop.reportByProvider('order-1', '52.00');
    await shop.match();
    await shop.run();
    expect(sent()).toEqual([['order-1', 52]]);
    expect(await shop.statuses()).toEqual({ 'order-1': 'sent', [charge('order-1')]: 'withheld duplicate' });
  });

  test('keeps the id that was sent before the match', async () => {
    await shop.reportByBusiness('order-2', '49.90');
    await shop.run();
    await shop.reportByProvider('order-2', '49.90');
    await shop.match();
    await shop.run();
    expect(sent()).toEqual([['order-2', 49.9]]);
    expect(await shop.statuses()).toEqual({ 'order-2': 'sent', [charge('order-2')]: 'withheld duplicate' });
  });

  test("keeps the provider's id when the business reports the sale later", async () => {
    await shop.reportByProvider('order-3', '49.90');
    await shop.match();
    await shop.run();
    const [first] = sent();
    await shop.reportByBusiness('order-3', '49.90');
    await shop.match();
    await shop.run();
    expect(sent()).toEqual([first]);
    expect(await shop.statuses()).toEqual({ 'order-3': 'withheld duplicate', [charge('order-3')]: 'sent' });
  });

  test('is sent again under the same id when the first response was lost and the record became a duplicate meanwhile', async () => {
    await shop.reportByBusiness('order-4', '49.90');
    platform.lost = 1;
    await shop.run();
    expect(await shop.statuses()).toEqual({ 'order-4': 'waiting platform_away' });
    await shop.reportByProvider('order-4', '49.90');
    await shop.match();
    await shop.run();
    expect(platform.calls).toEqual([1, 1]);
    expect(sent()).toEqual([['order-4', 49.9]]);
    expect(await shop.statuses()).toEqual({ 'order-4': 'sent', [charge('order-4')]: 'withheld duplicate' });
  });

  test('waits while the sale is being matched, and is not lost', async () => {
    await shop.reportByBusiness('order-5', '10.00');
    await shop.match();
    await shop.run();
    await shop.reportByProvider('other', '20.00');
    await shop.run();
    expect(await shop.statuses()).toMatchObject({ [charge('other')]: 'waiting pending' });
    await shop.match();
    await shop.run();
    expect(await shop.statuses()).toEqual({ 'order-5': 'sent', [charge('other')]: 'sent' });
  });

  test('is followed by the other one when a member rejects the match', async () => {
    await shop.reportByBusiness('order-6', '49.90');
    await shop.reportByProvider('order-6', '49.90');
    await shop.match();
    await shop.run();
    expect(sent()).toHaveLength(1);
    await shop.reject();
    await shop.match();
    await shop.run();
    expect(await shop.statuses()).toEqual({ 'order-6': 'sent', [charge('order-6')]: 'sent' });
    expect(sent()).toHaveLength(2);
  });
});
