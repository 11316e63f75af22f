import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { june, openShop } from './customers.fixture.ts';

const world = await openTestWithClickHouse();

describe('search in the customer list', () => {
  test('[cust-044] matches names and emails', async () => {
    const shop = await openShop(world);
    const pay = (user_traits: object) =>
      shop.event({ occurred_at: '2026-06-10T10:00:00.000Z', properties: { value: 1, currency: 'USD' }, user_traits });
    await pay({ email: 'ana.soto@example.cl', first_name: 'Ana María', last_name: 'Soto Vera' });
    await pay({ email: 'ana@shop.cl', first_name: 'Ana', last_name: 'Rojas' });
    await pay({ external_id: 'nobody' });
    const names = async (search: string) =>
      (await shop.all({ ...june, goal: 'payment_received', search })).rows.map(({ name }) => name).toSorted();
    expect(await names('ana')).toEqual(['Ana María Soto Vera', 'Ana Rojas']);
    expect(await names('ANÁ sotó')).toEqual(['Ana María Soto Vera']);
    expect(await names('vera ana')).toEqual(['Ana María Soto Vera']);
    expect(await names('ana@shop')).toEqual(['Ana Rojas']);
    expect(await names('ana.soto@example.cl')).toEqual(['Ana María Soto Vera']);
    expect(await names('zoe')).toEqual([]);
    // A search without letters or digits matches no one; a blank search matches all.
    expect(await names('***')).toEqual([]);
    expect(await names('  ')).toHaveLength(3);
  });

  test('returns all matches of a common name, newest first, without gaps or duplicates', async () => {
    const shop = await openShop(world);
    await shop.event({
      occurred_at: '2020-01-01T00:00:00.000Z',
      properties: { value: 1, currency: 'USD' },
      user_traits: { external_id: 'eva' },
    });
    // Of 7,500 customers, every third is an Ana, and 1% of those are Ana Soto.
    await shop.run(sql`
      INSERT INTO customers (profile_id, id, first_name, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT ${shop.profileId}, gen_random_uuid(), CASE WHEN n % 300 = 0 THEN 'Ana Soto' WHEN n % 3 = 0 THEN 'Ana' ELSE 'Eva' END, '{}',
        CASE WHEN n % 300 = 0 THEN '{ana,soto}'::text[] WHEN n % 3 = 0 THEN '{ana}' ELSE '{eva,soto}' END, now(), now(), now()
      FROM generate_series(1, 7500) AS n`);
    await shop.run(sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at, recorded_at, updated_at, rest)
      SELECT ${shop.profileId}, gen_random_uuid(), id::text, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
        id, '2026-06-01T00:00:00Z'::timestamptz + (row_number() OVER (ORDER BY id)) * interval '7 s', now(), now(), '{}' FROM customers WHERE 'ana' = ANY (terms) OR 'eva' = ANY (terms)`);
    const found = async (search: string) => shop.all({ ...june, goal: 'payment_received', search, limit: '100' });
    const anas = await found('ana');
    expect(anas.rows).toHaveLength(2_500);
    expect(new Set(anas.rows.map(({ conversion_id }) => conversion_id)).size).toBe(2_500);
    expect(anas.rows.every(({ name }) => name?.startsWith('Ana'))).toBe(true);
    expect(anas.pages.slice(0, -1).every((size) => size === 100)).toBe(true);
    const times = anas.rows.map(({ conversion_time }) => conversion_time);
    expect(times).toEqual(times.toSorted().toReversed());
    // Both words are common, but few customers have both.
    expect((await found('ana soto')).rows).toHaveLength(25);
  });

  test('returns all conversions of a customer with thousands of outcomes', async () => {
    const shop = await openShop(world);
    await shop.event({
      occurred_at: '2020-01-01T00:00:00.000Z',
      properties: { value: 1, currency: 'USD' },
      user_traits: { external_id: 'walk-in', first_name: 'Walk-in' },
    });
    await shop.run(sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at, recorded_at, updated_at, rest)
      SELECT ${shop.profileId}, gen_random_uuid(), n::text, '', '', key, key, (SELECT id FROM customers),
        '2026-06-01T00:00:00Z'::timestamptz + n * interval '10 s', now(), now(), '{}'
      FROM generate_series(1, 3000) AS n CROSS JOIN LATERAL (SELECT CASE WHEN n % 1000 < 200 THEN 'payment_received' ELSE 'walked_by' END AS key) k`);
    const { rows } = await shop.all({ ...june, goal: 'payment_received', search: 'walk', limit: '100' });
    expect(new Set(rows.map(({ conversion_id }) => conversion_id)).size).toBe(600);
    expect(rows).toHaveLength(600);
    expect(rows[0]).toMatchObject({ name: 'Walk-in', conversion_count: 601 });
  });
});
