import { raw } from '@tributary/clickhouse';
import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';

const world = await openTestWithClickHouse();

test('models learn from outcomes that name their ad, also of customers who never bought', async () => {
  const { profileId } = await scene(world);
  const [buyer, reader, ad] = [uuid(), uuid(), '17'];
  const at = (day: number) => `2026-03-0${day} 12:00:00.000`;
  const conversion = (person: string, type: string, day: number, touchedOn: number) =>
    `('${profileId}', '${at(day)}', generateUUIDv4(), 1, '${person}', '${type}', 90, [generateUUIDv4()], ['${at(touchedOn)}'], [${ad}])`;
  await world.clickhouse.command(
    raw(`INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, revenue_type, lookback_days, touch_ids, touch_times, source_ids)
      VALUES ${[conversion(buyer, 'pipeline', 1, 1), conversion(buyer, 'cash', 3, 1), conversion(reader, 'pipeline', 2, 2)].join()}`),
    {},
  );
  const period = { profile_id: profileId, from: new Date('2026-03-01'), until: new Date('2026-03-10') };
  const [counted] = await world.clickhouse.query('model_count_people', period, {});
  expect(counted?.people).toBe('2');
  const parameters = { ...period, batch_id: uuid(), share: 65_536, most: 400 };
  const histories = await Array.fromAsync(world.clickhouse.stream('model_list_histories', parameters, {}));
  expect(histories.toSorted((a, b) => Number(a.at[0]) - Number(b.at[0]))).toEqual([
    { at: [0.5], source_ids: [ad], bought_at: [2.5] },
    { at: [1.5], source_ids: [ad], bought_at: [] },
  ]);
});
