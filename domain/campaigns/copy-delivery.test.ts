import { type ClickHouse, createClickHouse, raw } from '@tributary/clickhouse';
import { openTestWithClickHouse } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';
import { afterEach, describe, expect, test } from 'vitest';
import { openAdvertiser, row } from './campaigns.fixture.ts';
import { copyDelivery, copyDirty, takeDirty } from './copy-delivery.ts';
import { delivery } from './delivery.queue.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const open = () => openAdvertiser(world);

/** The real engine, and something that happens around the insert of the days, once. */
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

describe('A copy', () => {
  test('whose worker died before it could say so is made again, and counts once', async () => {
    const shop = await open();
    await shop.push(row(), row({ date: '2026-06-02', name: 'Film' }));
    const { items } = await takeDirty(kit.app, shop.profileId, 1_000);
    await copyDirty({ app: kit.app, clickhouse }, shop.profileId, items);
    expect(await shop.dirty()).toBe(3);
    await shop.push(row({ spend: '20' }));
    await shop.copy();
    expect(await shop.days()).toMatchObject([{ spend: '20' }, { spend: '12.5' }]);
    expect(await shop.history()).toEqual([{ day: '2026-06-01', spend: '12.5', version: '1' }]);
    expect(await shop.entities()).toHaveLength(1);
    expect(await shop.dirty()).toBe(0);
  });

  test('does not take off the list what was restated while it was made', async () => {
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

  test('that comes late does not take the place of a newer one', async () => {
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

  test('keeps what reports showed of an ad before it was told to be of another campaign', async () => {
    const shop = await open();
    const of = (n: number) => ({ campaign_external_id: `c${n}`, ad_set_external_id: `s${n}` });
    await shop.push(row({ ...of(1), name: 'Film' }));
    await shop.copy();
    kit.clock.advance(60_000);
    await shop.push(row({ ...of(2), name: 'Film', date: '2026-06-02' }));
    await shop.copy();
    // Copied once more, it is no news.
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
    const kept = await shop.query<{ parent: string; is_other: boolean }>(`
      SELECT p.external_id AS parent, h.parent_id <> e.parent_id AS is_other FROM ad_entities_history h
      JOIN ad_entities e ON e.id = h.id JOIN ad_entities p ON p.id = h.parent_id WHERE h.level = 'ad'`);
    expect(kept).toEqual([{ parent: 's1', is_other: true }]);
  });

  test('goes on batch by batch until nothing is left', async () => {
    const shop = await open();
    await shop.push(...['01', '02', '03', '04', '05'].map((day) => row({ date: `2026-06-${day}` })));
    const isMore = [];
    for (let batch = 0; batch < 3; batch += 1) isMore.push(await shop.copy(2));
    expect(isMore).toEqual([true, true, false]);
    expect(await shop.days()).toHaveLength(5);
  });
});

describe('The worker', () => {
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

  test('finds every profile that has something to copy, and then rests', async () => {
    const shops = await Promise.all([open(), open(), open()]);
    for (const shop of shops) await shop.push(row());
    start(clickhouse, unexpected);
    await expect
      .poll(() => Promise.all(shops.map((shop) => shop.days().then(({ length }) => length))))
      .toEqual([1, 1, 1]);
    await expect.poll(() => Promise.all(shops.map(due))).toEqual([0, 0, 0]);
  });

  test('hears what is recorded while it copies, though it found the list empty', async () => {
    const shop = await open();
    await shop.push(row());
    start(
      interrupted('after', () => shop.push(row({ date: '2026-06-02' }))),
      unexpected,
    );
    await expect.poll(() => shop.days().then(({ length }) => length)).toBe(2);
  });

  test('while ClickHouse is away nothing is refused, and all of it arrives when it is back', async () => {
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
