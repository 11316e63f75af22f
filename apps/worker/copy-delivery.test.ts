import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { buildApiKey, buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { spawnWorker } from './worker.fixture.ts';

const { kit, api, clickhouse } = await openTestWithClickHouse();

/** Formats cents like PostgreSQL and ClickHouse do. */
const decimal = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`.replace(/\.?0+$/, '');

test('ClickHouse matches the ledger after 10,000 rows are restated while the worker is killed repeatedly', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] });
  const ledger = kit.app.forProfile(profileId);
  const countDirty = async () => {
    const { rows } = await ledger.transaction((tx) =>
      sql<{ n: number }>`SELECT count(*)::int AS n FROM dirty_delivery`.execute(tx),
    );
    return rows[0]?.n ?? 0;
  };
  const readTotals = async (table: string) =>
    (
      await clickhouse.query(
        raw<{ n: string; spend: string }>(
          `SELECT count() AS n, toString(sum(d.spend)) AS spend FROM ${table} AS d FINAL WHERE profile_id = {profile_id:UUID}`,
        ),
        { profile_id: profileId },
      )
    )[0];

  const days = Array.from({ length: 100 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10));
  const totals = [0n, 0n] as [bigint, bigint];
  /** Sends ten ads with a hundred days each: statement 0 first, statement 1 as the restatement. */
  const send = async (statement: 0 | 1, firstAd: number) => {
    const rows = Array.from({ length: 10 }, (_, offset) => firstAd + offset).flatMap((ad) =>
      days.map((date, day) => {
        const cents = BigInt(ad * 1_000 + day * 7 + statement * 3 + 1);
        totals[statement] += cents;
        const key = { platform: 'search_ads', level: 'ad', external_id: `ad-${ad}`, date, currency: 'USD' };
        return { ...key, spend: decimal(cents) };
      }),
    );
    const response = await api.fastify.inject({ method: 'POST', url: '/api/v1/spend', headers, payload: { rows } });
    expect(response.json().data.summary).toMatchObject({ total: 1_000, [statement ? 'updated' : 'recorded']: 1_000 });
  };
  const isWorking = async () => {
    const { rows } = await kit.system.unbound.query(
      sql<{
        held: boolean;
      }>`SELECT until > now() AND holder IS NOT NULL AS held FROM work_turns WHERE queue = 'delivery' AND key = ${profileId}`,
    );
    return rows[0]?.held ?? false;
  };
  /** Ends the leases of the killed worker, which would otherwise have to expire first. */
  const endLeases = () => kit.system.unbound.query(sql`UPDATE work_turns SET until = '-infinity'`);

  let killedWhileWorking = 0;
  for (const [statement, firstAd] of ([0, 1] as const).flatMap((one) => [0, 50].map((ad) => [one, ad] as const))) {
    const worker = await spawnWorker(kit);
    const sending = Promise.all([0, 10, 20, 30, 40].map((offset) => send(statement, firstAd + offset)));
    while (!(await isWorking())) await sleep(1);
    await sleep(Math.random() * 60);
    await worker.kill();
    if (await isWorking()) killedWhileWorking += 1;
    await sending;
    await endLeases();
  }
  expect(killedWhileWorking).toBeGreaterThan(0);

  const worker = await spawnWorker(kit);
  await expect.poll(countDirty, { timeout: 60_000, interval: 100 }).toBe(0);
  await worker.kill();
  expect(await readTotals('ad_delivery_daily')).toEqual({ n: '10000', spend: decimal(totals[1]) });
  expect(await readTotals('ad_delivery_history')).toEqual({ n: '10000', spend: decimal(totals[0]) });
});
