import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import { dataOf, refusal } from '../expect.ts';
import { allPages, days, leads, payment, record } from './fixtures.ts';

export const pagination = checksOf('pagination', (check) => {
  check(
    'cust-019 cust-020 cust-048',
    'shows each customer once over all pages, by both halves of the cursor',
    async (context) => {
      const { api } = context;
      const { goal, keys } = await leads(context);
      const rows = await allPages(api, `customers?${days(context)}&goal=${goal}&limit=4`, (cursor) => {
        const [time = '', id = ''] = cursor.split('|');
        return `&cursor_time=${encodeURIComponent(time)}&cursor_id=${id}`;
      });
      assert.equal(rows.length, keys.length);
      assert.equal(new Set(rows.map(({ conversion_id }) => conversion_id)).size, keys.length);
      const times = rows.map(({ conversion_time }) => conversion_time);
      assert.deepEqual(times, [...times].sort().reverse());
    },
  );

  check('', 'keeps its position when rows are inserted before it', async ({ api, unique, clock }) => {
    const customer = unique('paging');
    for (let index = 0; index < 4; index += 1)
      await record(api, payment(customer, { key: unique('p'), occurred_at: clock.at(-(10 - index) * 1_000) }));
    const list = `payments?from=${clock.day(1)}&to=${clock.day(-1)}&limit=2`;
    const first = await api.get(list);
    await record(api, payment(customer, { key: unique('p') }));
    const second = await api.get(`${list}&cursor=${encodeURIComponent(first.body.pagination.cursor)}`);
    const ids = [...dataOf(first), ...dataOf(second)].map(({ id }) => id);
    assert.equal(new Set(ids).size, 4);
    const times = [...first.body.data, ...second.body.data].map(({ paid_at }) => paid_at);
    assert.deepEqual(times, [...times].sort().reverse());
  });

  check('', 'refuses a cursor that it did not issue', async ({ api, clock }) => {
    for (const cursor of ['x', '1', '2026-01-01|x', '|'])
      refusal(
        await api.get(`payments?from=${clock.day(1)}&to=${clock.day()}&cursor=${encodeURIComponent(cursor)}`),
        400,
        'invalid_parameter',
      );
  });

  check(
    'evnt-003 evnt-042 evnt-043',
    'returns a cursor on the last page of the outcome replay too',
    async ({ api }) => {
      const rows = await allPages(api, 'outcomes/recorded', (cursor) => `?cursor=${encodeURIComponent(cursor)}`);
      assert.ok(Array.isArray(rows));
    },
  );
});
