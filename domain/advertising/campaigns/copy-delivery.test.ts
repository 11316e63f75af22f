import { type ClickHouse, createClickHouse, raw } from '@tributary/clickhouse';
import { openTestWithClickHouse } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';
import { afterEach, describe, expect, test } from 'vitest';
import { openAdvertiser, row } from './campaigns.fixture.ts';
import { claimDirty, copyDelivery, copyDirty } from './copy-delivery.ts';
import { delivery } from './delivery.queue.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const open = () => openAdvertiser(world);

/** Wraps ClickHouse and runs `happen` once, before or after the insert of days. */
function interrupted(moment: 'before' | 'after', happen: () => Promise<unknown>): ClickHouse {
  let isDue = true;
  return {
    ...clickhouse,
    async insertText(table, columns, text) {
      const isNow = isDue && table === 'ad_delivery_daily';
      if (isNow) isDue = false;
      if (isNow && moment === 'before') await happen();
      await clickhouse.insertText(table, columns, text);
      if (isNow && moment === 'after') await happen();
    },
  };
}

describe('a copy', () => {
  test('is repeated after its worker died before marking it done, and counts once', async () => {
    const shop = await open();
    await shop.push(row(), row({ date: '2026-06-02', name: 'Film' }));
    const { items } = await claimDirty(kit.app, shop.profileId, 1_000);
    await copyDirty({ app: kit.app, clickhouse }, shop.profileId, items);
    expect(await shop.dirty()).toBe(3);
    await shop.push(row({ spend: '20' }));
    await shop.copy();
    expect(await shop.days()).toMatchObject([{ spend: '20' }, { spend: '12.5' }]);
    expect(await shop.history()).toEqual([{ day: '2026-06-01', spend: '12.5', version: '1' }]);
    expect(await shop.entities()).toHaveLength(1);
    expect(await shop.dirty()).toBe(0);
  });

  test('keeps an entry in the queue if it was restated during the copy', async () => {
    const shop = await open();
    await shop.push(row());
    const clickhouse = interrupted('after', () => shop.push(row({ spend: '20', name: 'New' })));
    await copyDelivery({ app: kit.app, clickhouse }, shop.profileId, 1_000);
    expect(await shop.days()).toMatchObject([{ spend: '12.5' }]);
    expect(await shop.dirty()).toBe(2);
    await shop.copy();
    expect(await shop.days()).toMatchObject([{ spend: '20' }]);
    expect(await shop.entities()).toMatchObject([{ name: 'New' }]);
  });

  test('does not overwrite a newer copy when it is late', async () => {
    const shop = await open();
    await shop.push(row());
    const clickhouse = interrupted('before', async () => {
      await shop.push(row({ spend: '20' }));
      await shop.copy();
    });
    await copyDelivery({ app: kit.app, clickhouse }, shop.profileId, 1_000);
    expect(await shop.days()).toMatchObject([{ spend: '20', version: '2' }]);
    expect(await shop.dirty()).toBe(0);
  });

  test('keeps the history of an ad that moves to another campaign', async () => {
    const shop = await open();
    const of = (n: number) => ({ campaign_external_id: `c${n}`, ad_set_external_id: `s${n}` });
    await shop.push(row({ ...of(1), name: 'Film' }));
    await shop.copy();
    kit.clock.advance(60_000);
    await shop.push(row({ ...of(2), name: 'Film', date: '2026-06-02' }));
    await shop.copy();
    // Copying it again adds no history.
    await shop.push(row({ ...of(2), name: 'Film', date: '2026-06-03' }));
    await shop.copy();
    expect(await shop.entities()).toContainEqual(expect.objectContaining({ name: 'Film', campaign: 'c2' }));
    const history = await clickhouse.query(
      raw<{ name: string; campaign: string; is_gapless: number }>(`
        SELECT h.name AS name, c.external_id AS campaign, h.replaced_at = e.applied_at AND h.applied_at < h.replaced_at AS is_gapless
        FROM ad_entities_history AS h FINAL
        INNER JOIN ad_entities AS e FINAL ON e.profile_id = h.profile_id AND e.entity_id = h.entity_id
        INNER JOIN ad_entities AS c FINAL ON c.profile_id = h.profile_id AND c.entity_id = h.campaign_id
        WHERE h.profile_id = '${shop.profileId}' AND h.level = 'ad'`),
      {},
    );
    expect(history).toEqual([{ name: 'Film', campaign: 'c1', is_gapless: 1 }]);
    const stored = await shop.query<{ parent: string; is_other: boolean }>(`
      SELECT p.external_id AS parent, h.parent_id <> e.parent_id AS is_other FROM ad_entities_history h
      JOIN ad_entities e ON e.id = h.id JOIN ad_entities p ON p.id = h.parent_id WHERE h.level = 'ad'`);
    expect(stored).toEqual([{ parent: 's1', is_other: true }]);
  });

  test('continues batch by batch until nothing is left', async () => {
    const shop = await open();
    await shop.push(...['01', '02', '03', '04', '05'].map((day) => row({ date: `2026-06-${day}` })));
    const isMore = [];
    for (let batch = 0; batch < 3; batch += 1) isMore.push(await shop.copy(2));
    expect(isMore).toEqual([true, true, false]);
    expect(await shop.days()).toHaveLength(5);
  });
});

describe('the worker', () => {
  const running: { stop(): Promise<void> }[] = [];
  afterEach(() => Promise.all(running.splice(0).map((worker) => worker.stop())));
  const start = (clickhouse: ClickHouse, onError: (error: unknown) => void) => {
    const worker = startQueueWorker({
      system: kit.system,
      systemUrl: kit.database.systemUrl,
      handlers: { delivery: delivery({ app: kit.app, clickhouse }) },
      blame: () => 'away',
      onFailure: ({ error }) => onError(error),
    });
    running.push(worker);
    return worker;
  };
  const unexpected = (error: unknown) => expect.unreachable(String(error));
  const due = async (shop: Awaited<ReturnType<typeof open>>) =>
    (await shop.query<{ n: number }>('SELECT count(*)::int AS n FROM work_turns'))[0]?.n;

  test('copies every profile with pending changes, then stops', async () => {
    const shops = await Promise.all([open(), open(), open()]);
    for (const shop of shops) await shop.push(row());
    start(clickhouse, unexpected);
    await expect
      .poll(() => Promise.all(shops.map((shop) => shop.days().then(({ length }) => length))))
      .toEqual([1, 1, 1]);
    await expect.poll(() => Promise.all(shops.map(due))).toEqual([0, 0, 0]);
  });

  test('copies rows recorded during a copy, even if it found the queue empty', async () => {
    const shop = await open();
    await shop.push(row());
    start(
      interrupted('after', () => shop.push(row({ date: '2026-06-02' }))),
      unexpected,
    );
    await expect.poll(() => shop.days().then(({ length }) => length)).toBe(2);
  });

  test('records rows while ClickHouse is unavailable, and copies them afterwards', async () => {
    const shop = await open();
    const away = createClickHouse({ url: 'http://127.0.0.1:9', database: kit.clickhouseDatabase });
    const errors: unknown[] = [];
    const lost = start(away, (error) => errors.push(error));
    expect(await shop.push(row())).toEqual(['recorded']);
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(await shop.push(row({ spend: 3 }))).toEqual(['updated']);
    await lost.stop();
    await away.close();
    expect([await shop.dirty(), await due(shop)]).toEqual([2, 1]);
    start(clickhouse, unexpected);
    await expect.poll(() => shop.days()).toMatchObject([{ spend: '3' }]);
    expect(await shop.history()).toMatchObject([{ spend: '12.5' }]);
  });
});
