import { conversionIdOf } from '@tributary/rules';
import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { june, openShop } from './customers.fixture.ts';

const world = await openTestWithClickHouse();

describe('the customer list', () => {
  test('[cust-043] contains only conversions of the goal within the days, in the profile’s time zone', async () => {
    const shop = await openShop(world, { timeZone: 'America/Santiago' });
    const pay = async (occurred_at: string, more: object = {}) =>
      (
        await shop.event({
          occurred_at,
          properties: { value: 1, currency: 'USD' },
          user_traits: { external_id: 'eva' },
          ...more,
        })
      ).outcome_event_id;
    // The profile's time zone is UTC-4 in June.
    await pay('2026-06-01T03:59:59.999Z');
    const inside = [await pay('2026-06-01T04:00:00.000Z'), await pay('2026-06-03T03:59:59.999Z')];
    await pay('2026-06-03T04:00:00.000Z');
    await pay('2026-06-02T12:00:00.000Z', { event_name: 'lead_created' });
    await pay('2026-06-02T12:00:00.000Z', { event_name: 'nobody_knows' });
    // The event type counts only if no definition lists the event name.
    const byType = await pay('2026-06-02T13:00:00.000Z', {
      event_name: 'Card terminal 7',
      event_type: 'payment_received',
    });
    await pay('2026-06-02T14:00:00.000Z', { event_name: 'order_placed', event_type: 'payment_received' });
    const { rows } = await shop.all({ date_from: '2026-06-01', date_to: '2026-06-02', goal: 'payment_received' });
    expect(rows.map(({ conversion_id }) => conversion_id)).toEqual([inside[1], byType, inside[0]].map(conversionIdOf));
    expect((await shop.all({ ...june, goal: 'no_such_goal' })).rows).toEqual([]);
    const { body } = await shop.get({ date_from: '2025-01-01', date_to: '2025-01-02', goal: 'payment_received' });
    expect(body).toMatchObject({ data: [], pagination: { has_next: false, cursor: null } });
  });

  test('contains no conversions of other profiles', async () => {
    const [shop, other] = [await openShop(world), await openShop(world)];
    await other.event({
      occurred_at: '2026-06-02T12:00:00.000Z',
      properties: { value: 1, currency: 'USD' },
      user_traits: { email: 'a@b.cl' },
    });
    expect((await shop.all({ ...june, goal: 'payment_received' })).rows).toEqual([]);
    expect((await shop.all({ ...june, goal: 'payment_received', search: 'a@b.cl' })).rows).toEqual([]);
  });

  describe('pagination', () => {
    const count = 230;
    const query = { ...june, goal: 'payment_received' };
    const ids = Array.from({ length: count }, () => uuid());
    let shop: Awaited<ReturnType<typeof openShop>>;
    beforeAll(async () => {
      shop = await openShop(world);
      await shop.event({
        occurred_at: '2020-01-01T00:00:00.000Z',
        properties: { value: 1, currency: 'USD' },
        user_traits: { external_id: 'eva' },
      });
      // 100 rows per timestamp, so that the order depends on the ids.
      await shop.run(sql`
        INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, occurred_at, recorded_at, updated_at, rest)
        SELECT ${shop.profileId}, id, id::text, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
          '2026-06-10T00:00:00Z'::timestamptz + (place / 100) * interval '1 ms', now(), now(), '{}'
        FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS o (id, place)`);
    });

    test('[cust-045] [cust-046] [lim-001] returns 10 rows by default and up to 100', async () => {
      expect((await shop.get(query)).body.data).toHaveLength(10);
      expect((await shop.get({ ...query, limit: '100' })).body.data).toHaveLength(100);
      for (const limit of ['0', '101', 'x']) expect((await shop.get({ ...query, limit })).status).toBe(400);
    });

    test('[cust-019] [cust-020] returns whether more rows follow, and the cursor', async () => {
      expect((await shop.get(query)).body.pagination).toEqual({
        has_next: true,
        cursor: expect.stringMatching(/^2026-06-10T00:00:00\.\d{3}Z\|[0-9a-f-]{36}$/),
      });
    });

    test('a cursor outside the requested range returns no rows', async () => {
      const later = { cursor_time: '2026-06-20T00:00:00.000Z', cursor_id: uuid() };
      expect((await shop.get({ ...query, date_to: '2026-06-09', ...later })).body.data).toEqual([]);
    });

    test.each([10, 37, 100, 46])(
      '[cust-048] returns all rows without gaps or duplicates with limit %i',
      async (limit) => {
        const { rows, pages } = await shop.all({ ...query, limit: String(limit) });
        expect(rows.map(({ conversion_id }) => conversion_id).toSorted()).toEqual(ids.map(conversionIdOf).toSorted());
        const times = rows.map(({ conversion_time }) => conversion_time);
        expect(times).toEqual(times.toSorted().toReversed());
        expect(pages).toHaveLength(Math.ceil(count / limit));
      },
    );
  });

  test('[cust-039] [cust-040] [cust-041] [cust-042] requires dates, goal and both parts of a cursor', async () => {
    const shop = await openShop(world);
    const whole = { ...june, goal: 'payment_received' };
    expect((await shop.get({ ...whole, search: 'eva', limit: '5' })).status).toBe(200);
    for (const name of ['date_from', 'date_to'] as const) {
      const { [name]: _, ...rest } = whole;
      expect(await shop.get(rest)).toMatchObject({ status: 400, body: { error: { code: 'invalid_date_range' } } });
    }
    expect(await shop.get(june)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter', field: 'goal' } },
    });
    for (const half of [{ cursor_time: '2026-06-10T00:00:00.000Z' }, { cursor_id: uuid() }])
      expect(await shop.get({ ...whole, ...half })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_parameter' } },
      });
    for (const cursor_time of ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
      expect((await shop.get({ ...whole, cursor_time, cursor_id: uuid() })).status).toBe(200);
    for (const year of ['0001', '9999'])
      expect((await shop.get({ date_from: `${year}-01-01`, date_to: `${year}-12-31`, goal: 'x' })).status).toBe(200);
  });

  test('[cust-049] returns 403 to a key without customers:read', async () => {
    const { get } = await openShop(world, { scopes: ['campaigns:read', 'attribution:write'] });
    expect((await get({ ...june, goal: 'payment_received' })).status).toBe(403);
  });
});
