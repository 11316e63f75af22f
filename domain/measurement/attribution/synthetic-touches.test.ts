import { raw } from '@tributary/clickhouse';
import { clickMarker, tombstonesUnder } from '@tributary/domain/commerce/customers';
import { entityIdOf } from '@tributary/rules';
import { openTestWithClickHouse, processQueue, scene, testKeys } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { attribution } from './attribution.queue.ts';
import { replay } from './replay.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;

const day = (number: number) => new Date(Date.UTC(2026, 2, number)).toISOString();

const markOf = (profileId: string, click: string) =>
  clickMarker(tombstonesUnder(testKeys.tombstoneKey), profileId)(click);

async function openShop() {
  const profile = await scene(world, { scopes: ['attribution:write'] });
  const { profileId } = profile;
  const { transaction } = profile.ledger;
  return {
    profileId,
    send: async (event: object) =>
      (await profile.send({ user_traits: { email: 'eva@example.test' }, properties: {}, ...event })).outcomeId,
    async visit(occurredAt: string, came: object = { channel: 'email', source: 'newsletter' }) {
      const visitorId = uuid();
      await profile.touch({ visitor_id: visitorId, occurred_at: occurredAt, ...came });
      await profile.link(visitorId, 'eva@example.test');
      return visitorId;
    },
    touch: profile.touch,
    post: async (event: object) => (await profile.post('/api/v1/events', event)) as { customer_key: string | null },
    spend: (row: object) => profile.post('/api/v1/spend', { rows: [{ currency: 'USD', spend: '1', ...row }] }),
    links: async () =>
      (
        await transaction((tx) =>
          sql`
            SELECT l.visitor_id, l.source, i.value AS key FROM visitor_links l
            JOIN identifiers i ON i.customer_id = l.customer_id AND i.kind = 'external_customer_id'`.execute(tx),
        )
      ).rows,
    attribute: () =>
      processQueue(
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

test('credits a conversion without a visit, and later ones of the customer, to the ad it names [jour-017]', async () => {
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

test('creates a synthetic touch for an anonymous visitor too, and a replay gives the same result', async () => {
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

describe('an outcome that names its ad is a touch at its own time', () => {
  const ad = '120210987654321';
  const adOf = (profileId: string) => entityIdOf(profileId, 'social_ads', 'ad', ad);
  const minutes = (number: number) => new Date(Date.parse(day(5)) + number * 60_000).toISOString();
  const chat = { event_name: 'messaging_started', occurred_at: day(5), ad_id: ad, click_ids: { ctwa_clid: 'ARxyz' } };

  test('also next to a visit from another source, before or after it', async () => {
    const shop = await openShop();
    const chatId = await shop.send(chat);
    const payment = await shop.send(pay(day(9)));
    await shop.visit(day(3));
    await shop.visit(day(7), { channel: 'direct' });
    await shop.attribute();
    const paths = await shop.paths();
    expect(paths.map(({ conversion_id, channels }) => [conversion_id, channels])).toEqual([
      [chatId, ['email', 'paid_social']],
      [payment, ['email', 'paid_social', 'direct']],
    ]);
    expect(paths[1]?.ads[1]).toBe(adOf(shop.profileId));
    await shop.replay();
    expect(await shop.paths()).toEqual(paths);
  });

  const kind = { channel: 'paid_social', source: 'facebook', click_id_kind: 'ctwa_clid' };
  test.each<[string, number, (profileId: string) => object, number]>([
    [
      'makes one touch with a visit from the same ad',
      -9_000,
      (profileId) => ({ ...kind, click_id_kind: '', ad_id: adOf(profileId) }),
      1,
    ],
    [
      'makes one touch with a later visit from the same ad',
      9,
      (profileId) => ({ channel: 'paid_social', ad_id: adOf(profileId) }),
      1,
    ],
    [
      'makes one touch with a visit from the same click',
      -9_000,
      (profileId) => ({ ...kind, click_mark: markOf(profileId, 'ctwa_clid:ARxyz') }),
      1,
    ],
    ['makes one touch with a visit by the same kind of click up to 30 minutes earlier', -30, () => kind, 1],
    ['makes a second touch when that visit is older than 30 minutes', -31, () => kind, 2],
    ['makes a second touch when that visit came later', 1, () => kind, 2],
    [
      'makes a second touch when the visit came by another kind of click',
      -1,
      () => ({ ...kind, click_id_kind: 'gclid' }),
      2,
    ],
    [
      'makes a second touch when the visit came from another ad',
      -9_000,
      () => ({ channel: 'paid_social', ad_id: uuid() }),
      2,
    ],
  ])('%s', async (_, when, came, touches) => {
    const shop = await openShop();
    await shop.send(chat);
    const payment = await shop.send(pay(day(9)));
    await shop.visit(minutes(when), came(shop.profileId));
    await shop.attribute();
    const paths = await shop.paths();
    expect(paths.find(({ conversion_id }) => conversion_id === payment)?.touch_ids).toHaveLength(touches);
    await shop.replay();
    expect(await shop.paths()).toEqual(paths);
  });

  test('takes its platform from the event, or from what is known about the ad', async () => {
    const shop = await openShop();
    await shop.spend({ platform: 'search_ads', level: 'ad', external_id: '2001000003', date: '2026-03-01' });
    const lead = (occurred_at: string, more: object) => shop.send({ event_name: 'lead_created', occurred_at, ...more });
    await lead(day(1), { ad_id: '2001000003' });
    await lead(day(2), { ad_id: '2001000003', platform: 'tiktok' });
    await lead(day(3), { ad_id: 'unknown' });
    await shop.attribute();
    const idOf = (platform: string, id = '2001000003') => entityIdOf(shop.profileId, platform, 'ad', id);
    expect((await shop.paths()).at(-1)).toMatchObject({
      channels: ['paid_search', 'paid_social', 'paid_social'],
      ads: [idOf('search_ads'), idOf('tiktok'), idOf('social_ads', 'unknown')],
    });
  });
});

describe('user_traits.visitor_id', () => {
  const anybody = { event_name: 'lead_created', properties: {} };

  test('links the browser and its earlier touches to the customer; a browser that is already linked keeps its customer', async () => {
    const shop = await openShop();
    const visitorId = uuid();
    await shop.touch({ visitor_id: visitorId, occurred_at: day(1), channel: 'email' });
    await shop.send({ ...anybody, occurred_at: day(2), user_traits: { external_id: 'ana', visitor_id: visitorId } });
    await shop.send({
      ...anybody,
      occurred_at: day(3),
      user_traits: { external_id: 'brother', visitor_id: visitorId },
    });
    await shop.attribute();
    expect((await shop.paths()).map(({ channels }) => channels)).toEqual([['email'], []]);
    expect(await shop.links()).toEqual([{ visitor_id: visitorId, source: 'event', key: 'ana' }]);
  });

  test('identifies the browser’s customer unless a stronger identifier is given', async () => {
    const shop = await openShop();
    const visitorId = uuid();
    const key = async (traits: object) =>
      (await shop.post({ ...anybody, user_traits: { visitor_id: visitorId, ...traits } })).customer_key;
    expect(await key({})).toBeNull();
    await key({ external_id: 'ana' });
    expect(await key({})).toBe('ana');
    expect(await key({ phone: '+56911112222' })).toBe('ana');
    expect((await shop.post({ ...anybody, user_traits: { phone: '+56911112222' } })).customer_key).toBe('ana');
    expect(await key({ external_id: 'son' })).toBe('son');
  });

  test('merges a lead known only by phone into the customer identified later', async () => {
    const shop = await openShop();
    const visitorId = uuid();
    await shop.post({ ...anybody, user_traits: { visitor_id: visitorId, phone: '+56911112222' } });
    await shop.post({ ...anybody, user_traits: { visitor_id: visitorId, external_id: 'ana' } });
    expect((await shop.post({ ...anybody, user_traits: { phone: '+56911112222' } })).customer_key).toBe('ana');
  });
});

test('an ad id added later credits the ad for later conversions; removing it removes the credit', async () => {
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

test.each(['the payer', 'the customer from the ad'])(
  'after a merge where %s was known first, the ad is credited for the other customer’s payments',
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

test('publishes profile.freshness.changed once for falling behind and once for catching up [evnt-017]', async () => {
  const shop = await openShop();
  const publishedFreshness = async () =>
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
  expect(await publishedFreshness()).toEqual([]);
  await shop.replay();
  expect(await publishedFreshness()).toEqual(['behind', 'current']);
});
