import { raw } from '@tributary/clickhouse';
import { entityIdOf } from '@tributary/rules';
import { openTestWithClickHouse, scene, workOff } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { attribution } from './attribution.queue.ts';
import { replay } from './replay.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;

const day = (number: number) => new Date(Date.UTC(2026, 2, number)).toISOString();

async function openShop() {
  const place = await scene(world, { scopes: ['attribution:write'] });
  const { profileId } = place;
  return {
    profileId,
    send: async (event: object) =>
      (await place.send({ user_traits: { email: 'eva@example.test' }, properties: {}, ...event })).outcomeId,
    async visit(occurredAt: string) {
      const visitorId = uuid();
      await place.touch({ visitor_id: visitorId, occurred_at: occurredAt, channel: 'email', source: 'newsletter' });
      await place.link(visitorId, 'eva@example.test');
    },
    attribute: () =>
      workOff(
        kit.system,
        'attribution',
        attribution({ app: kit.app, clickhouse, now: () => kit.clock.now() }),
        profileId,
      ),
    replay: async () => {
      const options = { profileId, cause: 'test', now: () => kit.clock.now(), signal: new AbortController().signal };
      return replay({ app: kit.app, clickhouse }, options);
    },
    async paths() {
      const rows = await clickhouse.query(
        raw<{ conversion_id: string; touch_ids: string[]; channels: string[]; ads: string[] }>(`
          WITH (SELECT CAST((groupArray(source_id), groupArray((channel, ad_id))), 'Map(UInt64, Tuple(channel String, ad_id UUID))')
            FROM touch_sources FINAL WHERE profile_id = '${profileId}') AS known
          SELECT conversion_id, touch_ids, arrayMap(id -> known[id].channel, source_ids) AS channels, arrayMap(id -> known[id].ad_id, source_ids) AS ads
          FROM attributed_conversions FINAL WHERE profile_id = '${profileId}' ORDER BY conversion_time`),
        {},
      );
      return rows;
    },
  };
}

const pay = (at: string) => ({
  event_name: 'payment_received',
  occurred_at: at,
  properties: { value: '100', currency: 'USD' },
});

test('a conversion without any visit is earned by the ad that it names, and so is what follows it [jour-017]', async () => {
  const shop = await openShop();
  const ad = entityIdOf(shop.profileId, 'social_ads', 'ad', '120210987654321');
  const lead = await shop.send({
    event_name: 'lead_created',
    occurred_at: day(1),
    ad_id: '120210987654321',
    click_ids: { ctwa_clid: 'ARxyz' },
  });
  const payment = await shop.send(pay(day(9)));
  await shop.attribute();
  const path = { touch_ids: [lead], channels: ['paid_social'], ads: [ad] };
  expect(await shop.paths()).toEqual([
    { conversion_id: lead, ...path },
    { conversion_id: payment, ...path },
  ]);
});

test('somebody nobody knows has a synthetic touch too, and a replay finds the same', async () => {
  const shop = await openShop();
  const lead = await shop.send({
    event_name: 'lead_created',
    occurred_at: day(1),
    user_traits: {},
    click_ids: { gclid: 'x' },
  });
  await shop.attribute();
  const paths = await shop.paths();
  expect(paths).toMatchObject([{ conversion_id: lead, touch_ids: [lead], channels: ['paid_search'] }]);
  await shop.replay();
  expect(await shop.paths()).toEqual(paths);
});

test('it counts only where no visit does', async () => {
  const shop = await openShop();
  await shop.send({ event_name: 'lead_created', occurred_at: day(5), ad_id: '120210987654321' });
  await shop.visit(day(3));
  await shop.attribute();
  expect((await shop.paths()).map(({ channels }) => channels)).toEqual([['email']]);
  await shop.replay();
  expect((await shop.paths()).map(({ channels }) => channels)).toEqual([['email']]);
});

test('named late, the ad earns what came after it; taken back, it earns nothing', async () => {
  const shop = await openShop();
  const payment = await shop.send(pay(day(9)));
  await shop.attribute();
  expect(await shop.paths()).toMatchObject([{ touch_ids: [] }]);
  const lead = { event_name: 'lead_created', occurred_at: day(1), idempotency_key: 'lead-1' };
  const id = await shop.send({ ...lead, ad_id: '120210987654321' });
  await shop.attribute();
  expect(await shop.paths()).toMatchObject([{ touch_ids: [id] }, { conversion_id: payment, touch_ids: [id] }]);
  await shop.send(lead);
  await shop.attribute();
  expect(await shop.paths()).toMatchObject([{ touch_ids: [] }, { touch_ids: [] }]);
});

test.each(['the payer', 'the one whom the ad brought'])(
  'when two turn out to be one, and %s was known first, the ad earns what the other paid',
  async (first) => {
    const shop = await openShop();
    const paid = () => shop.send({ ...pay(day(9)), user_traits: { external_id: 'payer' } });
    const came = () =>
      shop.send({
        event_name: 'lead_created',
        occurred_at: day(1),
        ad_id: '120210987654321',
        user_traits: { email: 'eva@example.test' },
      });
    const events = first === 'the payer' ? [paid, came] : [came, paid];
    for (const send of events) await send();
    await shop.attribute();
    expect((await shop.paths()).map(({ touch_ids }) => touch_ids.length)).toEqual([1, 0]);
    await shop.send({ ...pay(day(20)), user_traits: { external_id: 'payer', email: 'eva@example.test' } });
    await shop.attribute();
    const paths = await shop.paths();
    expect(paths.map(({ channels }) => channels)).toEqual([['paid_social'], ['paid_social'], ['paid_social']]);
    await shop.replay();
    expect(await shop.paths()).toEqual(paths);
  },
);

test('falling behind and catching up are told, each once [evnt-017]', async () => {
  const shop = await openShop();
  const told = async () =>
    (
      await kit.app.forProfile(shop.profileId).transaction((tx) =>
        sql<{
          payload: { freshness: string };
        }>`SELECT payload FROM outbox WHERE type = 'profile.freshness.changed' ORDER BY occurred_at, payload->>'freshness'`.execute(
          tx,
        ),
      )
    ).rows.map(({ payload }) => payload.freshness);
  await shop.send(pay(day(9)));
  await shop.attribute();
  expect(await told()).toEqual([]);
  await shop.replay();
  expect(await told()).toEqual(['behind', 'current']);
});
