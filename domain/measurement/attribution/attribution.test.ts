import { raw, type TouchRow } from '@tributary/clickhouse';
import { at, openTestWithClickHouse, processQueue, scene } from '@tributary/testkit';
import { countSetAside, LeaseLost, startQueueWorker } from '@tributary/work';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { attribution } from './attribution.queue.ts';
import { replay } from './replay.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const queue = attribution({ app: kit.app, clickhouse, now: () => kit.clock.now() });

const takeAll = async (profileIds: readonly string[]) => {
  const claimed = await kit.system.unbound.transaction((tx) => queue.loadAll(tx, profileIds, 5_000));
  return [...claimed].map(([key, one]) => ({ key, ...one }));
};

/** The browser of the customer eva. */
const eva = uuid();

/** A shop whose batches are processed one at a time, with access to the stored results. */
async function openShop() {
  const profile = await scene(world, { scopes: ['attribution:write', 'goals:write'] });
  const { profileId, ledger } = profile;
  return {
    ...profile,
    pay: (more: object) => profile.send({ user_traits: { email: 'eva@example.test' }, ...more }),
    define: (body: object) => profile.post('/api/v1/goals/definitions', body),
    touch: (visitorId: string, day: number, more: Partial<TouchRow> = {}) =>
      profile.touch({ visitor_id: visitorId, occurred_at: at(day), ...more }),
    attribute: () => processQueue(kit.system, 'attribution', queue, profileId),
    rows: () =>
      clickhouse.query(
        raw<Record<string, unknown>>(
          `SELECT conversion_id, conversion_time, value, touch_count, arrayMap(source -> (SELECT CAST((groupArray(source_id), groupArray(channel)), 'Map(UInt64, String)') FROM touch_sources FINAL WHERE profile_id = '${profileId}')[source], source_ids) AS channels, linear, position_based, cause, applied_at FROM attributed_conversions FINAL WHERE profile_id = '${profileId}' ORDER BY conversion_time`,
        ),
        {},
      ),
    batches: () =>
      clickhouse.query(
        raw<{ n: number }>(
          `SELECT toUInt32(uniqExact(version)) AS n FROM attributed_conversions WHERE profile_id = '${profileId}'`,
        ),
        {},
      ),
    history: () =>
      clickhouse.query(
        raw<Record<string, unknown>>(
          `SELECT conversion_id, value, touch_count, replaced_cause, applied_at, replaced_at FROM attribution_history FINAL WHERE profile_id = '${profileId}' ORDER BY version`,
        ),
        {},
      ),
    dirty: async () =>
      Number(
        (await ledger.transaction((tx) => sql<{ n: string }>`SELECT count(*) AS n FROM dirty_conversions`.execute(tx)))
          .rows[0]?.n,
      ),
    events: async () =>
      (await ledger.transaction((tx) => sql<{ type: string }>`SELECT type FROM outbox`.execute(tx))).rows.map(
        ({ type }) => type,
      ),
  };
}

describe('A payment', () => {
  test('is credited to the touches of all its customer’s browsers within the lookback', async () => {
    const shop = await openShop();
    const [phone, laptop, stranger] = [uuid(), uuid(), uuid()] as const;
    await shop.touch(phone, 1, { channel: 'paid_search' });
    await shop.touch(laptop, 10, { channel: 'direct' });
    await shop.touch(stranger, 11);
    await shop.touch(laptop, 21);
    const paid = await shop.pay({});
    await shop.link(phone, 'eva@example.test');
    await shop.link(laptop, 'eva@example.test');
    expect(await shop.attribute()).toBe(1);
    expect(await shop.rows()).toEqual([
      {
        conversion_id: paid.outcomeId,
        conversion_time: at(20),
        value: '10000',
        touch_count: 2,
        channels: ['paid_search', 'direct'],
        linear: ['5000', '5000'],
        position_based: ['5000', '5000'],
        cause: 'outcome_recorded',
        applied_at: kit.clock.now().toISOString(),
      },
    ]);
    expect(await shop.dirty()).toBe(0);
  });

  test('writes nothing when recomputed without changes; with changes the earlier row moves to the history with all causes and times', async () => {
    const shop = await openShop();
    const visitor = uuid();
    await shop.touch(visitor, 5);
    const { outcomeId } = await shop.pay({ idempotency_key: 'order-1' });
    await shop.link(visitor, 'eva@example.test');
    await shop.attribute();
    const recordedAt = kit.clock.now().toISOString();
    kit.clock.advance(300_000);
    // Inserts a mark in the format of the previous release, which may still be running.
    await kit.app
      .forProfile(shop.profileId)
      .transaction((tx) =>
        sql`INSERT INTO dirty_conversions (profile_id, outcome_id, cause) VALUES (${shop.profileId}, ${outcomeId}, 'merge')`.execute(
          tx,
        ),
      );
    expect(await shop.attribute()).toBe(1);
    expect(await shop.history()).toEqual([]);
    expect(await shop.rows()).toMatchObject([{ cause: 'outcome_recorded', applied_at: recordedAt }]);

    await shop.pay({ idempotency_key: 'order-1', properties: { value: '70.00', currency: 'USD' } });
    await shop.pay({
      idempotency_key: 'order-1',
      properties: { value: '70.00', currency: 'USD' },
      occurred_at: at(21),
    });
    await shop.attribute();
    const replacedAt = kit.clock.now().toISOString();
    const causes = 'amount_changed,moved_in_time';
    expect(await shop.rows()).toMatchObject([{ value: '7000', cause: causes, applied_at: replacedAt }]);
    expect(await shop.history()).toEqual([
      {
        ...{ conversion_id: outcomeId, value: '10000', touch_count: 1, replaced_cause: causes },
        ...{ applied_at: recordedAt, replaced_at: replacedAt },
      },
    ]);
  });

  test('that changed its time leaves no row under the old time', async () => {
    const shop = await openShop();
    await shop.pay({ idempotency_key: 'order-1' });
    await shop.attribute();
    await shop.pay({ idempotency_key: 'order-1', occurred_at: at(12) });
    await shop.attribute();
    expect(await shop.rows()).toMatchObject([{ conversion_time: at(12) }]);
  });

  test('keeps its time to the millisecond, whether a batch or a replay computes it', async () => {
    const shop = await openShop();
    const times = ['00.000', '00.001', '00.050', '00.500', '59.999'].map((second) => `2026-03-12T10:00:${second}Z`);
    for (const occurred_at of times) await shop.pay({ occurred_at });
    await shop.attribute();
    const rows = await shop.rows();
    expect(rows.map(({ conversion_time }) => conversion_time)).toEqual(times);
    const options = { profileId: shop.profileId, cause: 'operator', now: () => kit.clock.now() };
    await replay({ app: kit.app, clickhouse }, { ...options, signal: AbortSignal.timeout(60_000) });
    expect(await shop.rows()).toEqual(rows);
    expect(await shop.history()).toEqual([]);
  });

  test('of an anonymous visitor is credited to their own browser', async () => {
    const shop = await openShop();
    const { outcomeId } = await shop.pay({ user_traits: {} });
    const visitor = uuid();
    await shop.touch(visitor, 3, { channel: 'email' });
    await kit.app
      .forProfile(shop.profileId)
      .transaction((tx) => sql`UPDATE outcomes SET visitor_id = ${visitor} WHERE id = ${outcomeId}`.execute(tx));
    await shop.attribute();
    expect(await shop.rows()).toMatchObject([{ channels: ['email'], linear: ['10000'] }]);
  });
});

test('currencies with zero or three minor digits keep their precision', async () => {
  const shop = await openShop();
  for (const [currency, value, minor] of [
    ['CLP', '12345', '12345'],
    ['KWD', '1.234', '1234'],
  ] as const) {
    await kit.app
      .forWorkspace((await workspaceOf(shop.profileId)) ?? '')
      .transaction((tx) =>
        sql`UPDATE profiles SET reporting_currency = ${currency} WHERE id = ${shop.profileId}`.execute(tx),
      );
    const { outcomeId } = await shop.pay({ properties: { value, currency } });
    await shop.attribute();
    expect(await shop.rows()).toContainEqual(expect.objectContaining({ conversion_id: outcomeId, value: minor }));
  }
});

const workspaceOf = async (profileId: string) =>
  (
    await kit.app
      .forProfile(profileId)
      .transaction((tx) =>
        sql<{ id: string }>`SELECT workspace_id AS id FROM profiles WHERE id = ${profileId}`.execute(tx),
      )
  ).rows[0]?.id;

describe('conversion.attributed', () => {
  test('is not published while no campaign, ad set or ad has a share', async () => {
    const shop = await openShop();
    await shop.pay({});
    await shop.attribute();
    await shop.touch(eva, 5, { channel: 'email' });
    await shop.link(eva, 'eva@example.test');
    await shop.pay({});
    await shop.attribute();
    expect((await shop.rows()).map(({ touch_count }) => touch_count)).toContain(1);
    expect(await shop.events()).toEqual([]);
  });

  test.each(['campaign_id', 'ad_set_id', 'ad_id'])(
    '[evnt-013] [evnt-014] is published when an entity named by %s first gets a share, and never again',
    async (level) => {
      const shop = await openShop();
      await shop.touch(eva, 5, { [level]: uuid() });
      await shop.touch(eva, 6, { channel: 'direct' });
      await shop.pay({});
      await shop.link(eva, 'eva@example.test');
      await shop.attribute();
      expect(await shop.events()).toEqual(['conversion.attributed']);
      await shop.pay({});
      await shop.attribute();
      expect(await shop.events()).toEqual(['conversion.attributed']);
      await shop.pay({ event_name: 'lead_created', properties: {} });
      await shop.attribute();
      expect(await shop.events()).toEqual(['conversion.attributed', 'conversion.attributed']);
    },
  );

  test('is published once even when the worker dies between writing the results and settling the batch', async () => {
    const shop = await openShop();
    await shop.touch(eva, 5, { ad_id: uuid() });
    await shop.pay({});
    await shop.link(eva, 'eva@example.test');
    const settle = () => Promise.reject(new LeaseLost());
    const batches = await takeAll([shop.profileId]);
    await expect(queue.workAll({ batches, signal: AbortSignal.timeout(10_000), settle })).rejects.toThrow(LeaseLost);
    expect(await shop.rows()).toHaveLength(1);
    expect(await shop.dirty()).toBe(1);
    await shop.attribute();
    expect(await shop.events()).toEqual(['conversion.attributed']);
  });
});

const startWorker = (paceMs: number) =>
  startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: { attribution: queue },
    blame: () => 'work',
    onFailure: ({ error }) => expect.unreachable(String(error)),
    numbers: { paceMs },
  });

test('a worker finds dirty conversions of several profiles without being notified', async () => {
  const shops = await Promise.all([openShop(), openShop(), openShop()]);
  for (const shop of shops) await shop.pay({});
  const worker = startWorker(20);
  await expect
    .poll(() => Promise.all(shops.map((shop) => shop.rows().then(({ length }) => length))))
    .toEqual([1, 1, 1]);
  await worker.stop();
});

test('profiles with the same visitor id share a batch, but each is credited only by its own touches', async () => {
  const shops = await Promise.all([openShop(), openShop(), openShop()]);
  const visitor = uuid();
  const channels = ['email', 'paid_search', 'direct'];
  for (const [index, shop] of shops.entries()) {
    await shop.touch(visitor, 2 + index, { channel: channels[index] ?? '' });
    await shop.pay({});
    await shop.link(visitor, 'eva@example.test');
  }
  await processQueue(kit.system, 'attribution', queue);
  const paths = await Promise.all(shops.map(async (shop) => (await shop.rows()).map(({ channels }) => channels)));
  expect(paths).toEqual(channels.map((channel) => [[channel]]));
});

test('a steady trickle of conversions is attributed in batches, not one by one', async () => {
  const shop = await openShop();
  const worker = startWorker(1_000);
  const began = performance.now();
  const until = began + 3_000;
  const customer = async () => {
    while (performance.now() < until) await shop.pay({});
  };
  await Promise.all([customer(), customer(), customer()]);
  await expect.poll(shop.dirty).toBe(0);
  await worker.stop();
  const [batches] = await shop.batches();
  // One batch per second, one before the first of them and one for the rest.
  expect(batches?.n).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 1_000) + 2);
});

test('a conversion that fails on its own is parked; the rest of its profile and of its batch is attributed', async () => {
  const shop = await openShop();
  for (let n = 0; n < 5; n += 1) await shop.pay({});
  const neighbours = await Promise.all([openShop(), openShop()]);
  for (const neighbour of neighbours) await neighbour.pay({});
  const [claimed] = await takeAll([shop.profileId]);
  const bad = claimed?.items[2]?.id;
  const worker = startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: {
      attribution: {
        ...queue,
        workAll: async (group) => {
          if (group.batches.some(({ items }) => items.some(({ id }) => id === bad)))
            throw new Error('cannot be staged');
          await queue.workAll(group as Parameters<typeof queue.workAll>[0]);
        },
      },
    },
    blame: () => 'work',
    onFailure: () => {},
  });
  await expect.poll(shop.rows, { timeout: 60_000 }).toHaveLength(4);
  await expect.poll(() => countSetAside(kit.system, { key: shop.profileId }), { timeout: 60_000 }).toBe(1);
  // No dirty mark is left, so nothing that waits for attribution is blocked.
  await expect.poll(shop.dirty).toBe(0);
  // Other profiles of the same batch were not delayed either.
  for (const neighbour of neighbours) expect(await neighbour.rows()).toHaveLength(1);
  await worker.stop();
});
