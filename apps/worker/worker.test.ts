import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, openEventSender, openTestWithClickHouse, paymentEvent } from '@tributary/testkit';
import { createJobs } from '@tributary/work';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { type SpawnedWorker, spawnWorker } from './worker.fixture.ts';

/** Tests the worker process itself on real engines. */
const { kit, api } = await openTestWithClickHouse();
const port = await freePort();
const workers: SpawnedWorker[] = [];
const start = async () => {
  const worker = await spawnWorker(kit, { WORKER_METRICS_PORT: String(port) });
  workers.push(worker);
  return worker;
};
afterAll(() => Promise.all(workers.map((worker) => worker.kill())));

test("first payments after a merge are corrected on notification, before the worker's next poll", async () => {
  const worker = await start();
  const sender = await openEventSender(kit, api);
  for (let round = 1; round <= 3; round += 1) {
    const [early, late, email] = [`early-${round}`, `late-${round}`, `b${round}@example.com`];
    await sender.post(paymentEvent({ key: early, day: 1, customer: `a-${round}` }));
    const traits = { email };
    await sender.post({ ...paymentEvent({ key: late, day: 25 }), user_traits: traits });
    expect(await sender.flags()).toMatchObject({ [early]: true, [late]: true });
    const merged = performance.now();
    await sender.send('/api/v1/customers', { rows: [{ external_id: `a-${round}`, email }] });
    await expect.poll(() => sender.flags(), { interval: 20 }).toMatchObject({ [late]: false });
    // The worker polls every five seconds; a faster result means that the notification worked.
    expect(performance.now() - merged).toBeLessThan(4_500);
    await sleep(200);
  }
  await worker.kill();
});

test('a failed job is logged once with its name and tenant, without its payload, and counted', async () => {
  const { profileId } = await openEventSender(kit, api);
  const jobs = await createJobs(kit.database.appUrl, (error) => console.error(error));
  // The handler fails because its table is missing.
  await kit.owner.unbound.query(sql`ALTER TABLE outcomes RENAME TO outcomes_elsewhere`);
  try {
    await kit.app.unbound.transaction((tx) =>
      jobs.enqueue(tx, 'spreadDefinition', { profileId, eventKeys: ['ana@example.com'] }),
    );
    const worker = await start();
    const failed = () =>
      worker.lines
        .map((line) => JSON.parse(line))
        .filter((line) => line.msg === 'work failed' && line.work === 'spread-definition');
    await expect.poll(() => failed().length).toBeGreaterThan(0);
    expect(failed()[0]).toMatchObject({
      level: 'error',
      work: 'spread-definition',
      key: profileId,
      error_code: '42P01',
    });
    const metric = /^tributary_work_failures_total\{work="spread-definition"\} (\d+)$/m;
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(Number(metric.exec(page)?.[1])).toBe(failed().length);
    expect(worker.lines.join()).not.toContain('ana@example.com');
    await worker.kill();
  } finally {
    await kit.owner.unbound.query(sql`ALTER TABLE outcomes_elsewhere RENAME TO outcomes`);
    await jobs.close();
  }
});
