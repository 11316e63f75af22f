import { raw } from '@tributary/clickhouse';
import { countSetAside, type QueueHandler, retrySetAside, startQueueWorker } from '@tributary/work';
import { expect, test } from 'vitest';
import { useEveryStore } from './every-store.fixture.ts';

const scene = useEveryStore();

/** Starts the erasure queue with a hook that runs before each batch. */
const start = (first: (key: string) => Promise<void>, failed: (string | undefined)[] = []) => {
  const queue: QueueHandler = scene.queue();
  return startQueueWorker({
    system: scene.kit.system,
    systemUrl: scene.kit.database.systemUrl,
    handlers: {
      erasures: {
        ...queue,
        work: async (batch) => {
          await first(batch.key);
          await queue.work(batch);
        },
      },
    },
    blame: () => 'work',
    onFailure: ({ key }) => failed.push(key),
  });
};

test('an erasure that fails blocks no other tenant, is parked, and completes after a retry', async () => {
  const { kit, shop } = scene;
  await scene.anaPays();
  const erasureId = await scene.eraseAna();
  const other = await scene.openOther();
  await other.importRow({ external_id: 'key-eva', email: 'eva@example.cl' });
  const otherId = (await other.erase({ customer_key: 'key-eva' })).json().data.erasure_id;
  await scene.worked();
  let isBroken = true;
  const failed: (string | undefined)[] = [];
  const worker = start(async (key) => {
    if (isBroken && key === shop.profileId) throw new Error('No master key opens this secret.');
  }, failed);
  const parked = () => countSetAside(kit.system, { queue: 'erasures' });
  const statusOf = async (where: typeof shop, id: string) => (await where.read(id)).json().data.status;
  await expect.poll(parked).toBe(1);
  await expect.poll(() => statusOf(other, otherId)).toBe('done');
  expect(await statusOf(shop, erasureId)).toBe('queued');
  expect(new Set(failed)).toEqual(new Set([shop.profileId]));
  isBroken = false;
  await retrySetAside(kit.system, { queue: 'erasures' });
  await expect.poll(() => statusOf(shop, erasureId)).toBe('done');
  expect(await parked()).toBe(0);
  await worker.stop();
});

test('an erasure waits for its own mutations only, not for another one that never ends', async () => {
  const { clickhouse, shop } = scene;
  await scene.anaPays();
  const erasureId = await scene.eraseAna();
  await scene.worked();
  const never = clickhouse.command(
    raw("ALTER TABLE touches DELETE WHERE throwIf(length(channel) >= 0, 'stuck') = 1"),
    {},
  );
  await never.catch(() => {});
  const stuck = () =>
    clickhouse.query(
      raw<{ n: string }>(
        "SELECT count() AS n FROM system.mutations WHERE database = currentDatabase() AND NOT is_done AND command LIKE '%throwIf%'",
      ),
      {},
    );
  expect(await stuck()).toEqual([{ n: '1' }]);
  const worker = start(async () => {});
  const status = async () => (await shop.read(erasureId)).json().data.status;
  await expect.poll(status).toBe('done');
  expect(await stuck()).toEqual([{ n: '1' }]);
  await worker.stop();
  await clickhouse.command(raw('KILL MUTATION WHERE database = currentDatabase()'), {});
});
