import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { buildProfile, openTest } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';
import { sql } from 'kysely';
import { expect, test } from 'vitest';

const { kit } = await openTest();

const run = async (...args: string[]) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), 'work', ...args],
    {
      // Vitest sets another BASE_URL.
      env: { ...process.env, BASE_URL: 'http://127.0.0.1', DATABASE_SYSTEM_URL: kit.database.systemUrl },
    },
  );
  return JSON.parse(stdout);
};

test('work list shows parked work with its reason, and work retry has the workers process it again', async () => {
  const [mine, other] = [(await buildProfile(kit.app)).id, (await buildProfile(kit.app)).id];
  const [item, another] = [randomUUID(), randomUUID()];
  const real = firstPayments(kit.app);
  let isBroken = true;
  const worker = startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: {
      firstPayments: {
        ...real,
        work: async (batch) => {
          if (isBroken) throw new RangeError('no such month');
          await real.work(batch as Parameters<typeof real.work>[0]);
        },
      },
    },
    blame: () => 'work',
    onFailure: () => {},
  });
  const mark = (profileId: string, customerId: string) =>
    kit.app
      .forProfile(profileId)
      .transaction((tx) =>
        sql`INSERT INTO dirty_customers (profile_id, customer_id) VALUES (${profileId}, ${customerId})`.execute(tx),
      );
  await Promise.all([mark(mine, item), mark(other, another)]);
  const listed = (...filter: string[]) => run('list', '--json', ...filter);
  await expect.poll(async () => (await listed()).length).toBe(2);
  expect(await listed('--profile', mine, '--queue', 'first-payments')).toMatchObject([
    { queue: 'first-payments', profile: mine, item, reason: 'RangeError: no such month', tried_again_soon: false },
  ]);
  expect(await listed('--queue', 'attribution')).toEqual([]);
  isBroken = false;
  expect(await run('retry', '--json', '--profile', mine)).toEqual({ tried_again: 1 });
  await expect.poll(() => listed()).toMatchObject([{ profile: other, item: another }]);
  expect(await run('retry', '--json')).toEqual({ tried_again: 1 });
  await expect.poll(() => listed()).toEqual([]);
  await worker.stop();
  const { rows } = await kit.system.unbound.query(sql`SELECT FROM dirty_customers`);
  expect(rows).toEqual([]);
  await expect(run('retry', '--queue', 'nonsense')).rejects.toThrow('There is no queue "nonsense"');
});
