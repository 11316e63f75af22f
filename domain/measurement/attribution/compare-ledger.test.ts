import { raw } from '@tributary/clickhouse';
import { buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { compareLedger } from './compare-ledger.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

test('reports conversions that only ClickHouse has, even when the ledger has none in their group', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const [first, second] = [uuid(), uuid()];
  for (const id of [first, second])
    await clickhouse.command(
      raw(`INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, value, currency)
        VALUES ('${profileId}', '2026-03-05 12:00:00', '${id}', 1, 700, 'USD')`),
      {},
    );
  const params = { profileId, dateFrom: '2026-03-01', dateTo: '2026-03-31', now: new Date() };
  const compare = (maxDifferences: number) =>
    compareLedger({ app: kit.app, clickhouse }, { ...params, maxDifferences }, new AbortController().signal);
  const { days, differences } = await compare(10);
  expect(differences.map(({ id, day, inLedger, inColumns }) => [id, day, inLedger, inColumns]).sort()).toEqual(
    [first, second].map((id) => [id, '2026-03-05', null, '7.00']).sort(),
  );
  expect(days).toMatchObject([{ day: '2026-03-05', differences: 2, pending: 0 }]);
  // Differences beyond the limit are counted but not returned.
  const few = await compare(1);
  expect([few.differences.length, few.days[0]?.differences]).toEqual([1, 2]);
});
