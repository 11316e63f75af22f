import { routes } from '@tributary/contract';
import { findCustomerTotals } from '@tributary/domain/commerce/outcomes';
import { type BuiltKey, buildApiKey, buildProfile, openKit, serve, served, testTombstones } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { importCustomers, searchCustomers } from './module.ts';

const kit = await openKit();
const server = await serve(kit, [
  served(routes.importCustomers, importCustomers, { tombstones: testTombstones }),
  served(routes.searchCustomers, searchCustomers, { findCustomerTotals }),
]);
const { id: profileId } = await buildProfile(kit.app);
const key = await buildApiKey(kit.app, profileId, { scopes: ['customers:read', 'attribution:write'] });
afterAll(() => server.close());

const importRows = async (rows: readonly object[], headers = key.headers): Promise<string[]> => {
  const response = await server.fastify.inject({
    method: 'POST',
    url: '/api/v1/customers',
    headers: { ...headers, 'content-type': 'application/json' },
    payload: JSON.stringify({ rows }),
  });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data.results.map((result: { customer_profile_id: string }) => result.customer_profile_id);
};
await importRows([
  {
    email: 'maria.gonzalez@example.cl',
    first_name: 'María José',
    last_name: 'González Soto',
    phone: '+56 9 8765 4321',
  },
  { email: 'mario@example.cl', first_name: 'Mario', last_name: 'Rojas' },
  { phone: '+56 9 8765 0000' },
  { national_id: '12.345.678-5', first_name: 'Mariana' },
]);
const importedAt = kit.clock.now().toISOString();
const get = (query: Record<string, string>, headers: Record<string, string> = { ...key.headers }) =>
  server.fastify.inject({ method: 'GET', url: `/api/v1/customers/search?${new URLSearchParams(query)}`, headers });

interface Candidate {
  customer_profile_id: string;
  first_name: string | null;
  primary_email: string | null;
  primary_phone: string | null;
}
const find = async (
  q: string,
  more: Record<string, string> = {},
  headers?: Record<string, string>,
): Promise<Candidate[]> => {
  const response = await get({ q, ...more }, headers);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
};
const names = async (q: string) => (await find(q)).map(({ first_name, primary_phone }) => first_name ?? primary_phone);

describe('200', () => {
  test('[cust-063] [cust-036] [cust-037] [cust-070] returns all fields of a candidate, with revenue as a string', async () => {
    const response = await get({ q: 'gonzalez' });
    expect(response.json()).toEqual({
      data: [
        {
          customer_profile_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          first_name: 'María José',
          last_name: 'González Soto',
          primary_email: 'maria.gonzalez@example.cl',
          primary_phone: '+56987654321',
          first_seen_at: importedAt,
          last_seen_at: importedAt,
          conversion_count: 0,
          cash_revenue: '0.00',
          sources: ['import'],
        },
      ],
      pagination: { has_next: false, cursor: null },
      meta: { profile_id: profileId, count: 1, is_count_exact: true, exclusions: [] },
    });
  });

  test.each([
    ['maria', ['María José', 'Mariana']],
    ['MARÍA', ['María José', 'Mariana']],
    ['mari', ['María José', 'Mariana', 'Mario']],
    ['jose gonz', ['María José']],
    ['gonzalez maria', ['María José']],
    ['maria gonzalez', ['María José']],
    ['soto mar', ['María José']],
    ['maria.gonzalez@exam', ['María José']],
    ['Mario@Example.CL', ['Mario']],
    ['+56 9 8765 4321', ['María José']],
    ['56987654321', ['María José']],
    ['9 8765', ['+56987650000', 'María José']],
    ['maria rojas', []],
    ['example', []],
    ['12345678', []],
    ['%%', []],
  ])('[cust-067] "%s" returns %j', async (q, found) => {
    expect((await names(q)).sort()).toEqual([...found].sort());
  });

  test.each(['', 'm', ' m ', '+', '\u0301', '  '])(
    '[cust-066] [lim-003] "%s" is too short and returns no results',
    async (q) => {
      expect(await find(q)).toEqual([]);
    },
  );

  test('orders exact matches before prefix matches, then by last seen', async () => {
    const { headers } = await createOtherProfileKey();
    const customers = ['Ann Lee', 'Ann', 'Annabel', 'Anne'];
    for (const [index, first_name] of customers.entries()) {
      await importRows([{ email: `${index}@example.cl`, first_name }], { ...headers });
      kit.clock.advance(1_000);
    }
    const order = async (q: string) => (await find(q, {}, { ...headers })).map(({ first_name }) => first_name);
    expect(await order('ann')).toEqual(['Ann', 'Ann Lee', 'Anne', 'Annabel']);
    // An import is no activity, so it does not change last_seen_at.
    await importRows([{ email: '0@example.cl' }], { ...headers });
    expect(await order('ann')).toEqual(['Ann', 'Ann Lee', 'Anne', 'Annabel']);
    expect(await order('an')).toEqual(['Anne', 'Annabel', 'Ann', 'Ann Lee']);
  });

  test('[cust-064] [cust-068] exclude removes one customer, and an unknown id has no effect', async () => {
    const all = await find('mari');
    const [first, ...rest] = all;
    expect(await find('mari', { exclude: first?.customer_profile_id ?? '' })).toEqual(rest);
    expect(await find('mari', { exclude: uuid() })).toEqual(all);
  });

  test('[cust-069] [lim-003] limit is 20 by default and up to 50', async () => {
    const { headers } = await createOtherProfileKey();
    const customers = Array.from({ length: 60 }, (_, index) => ({
      email: `p${index}@example.cl`,
      first_name: 'Paula',
    }));
    await importRows(customers, { ...headers });
    expect(await find('paula', {}, { ...headers })).toHaveLength(20);
    expect(await find('paula', { limit: '1' }, { ...headers })).toHaveLength(1);
    expect(await find('paula', { limit: '50' }, { ...headers })).toHaveLength(50);
  });

  test('pages return each match once, with the exact total count', async () => {
    const { headers } = await createOtherProfileKey();
    const customers = Array.from({ length: 45 }, (_, index) => ({
      email: `q${index}@example.cl`,
      first_name: 'Quena',
    }));
    await importRows(customers, { ...headers });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const body: { data: Candidate[]; pagination: { cursor: string | null }; meta: object } = (
        await get({ q: 'quena', ...(cursor && { cursor }) }, { ...headers })
      ).json();
      expect(body.meta).toMatchObject({ count: 45, is_count_exact: true });
      seen.push(...body.data.map((one) => one.customer_profile_id));
      cursor = body.pagination.cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([45, 45]);
  });

  test('finds a combination of common words, although each word exceeds the read limit', async () => {
    const { headers } = await createOtherProfileKey();
    const customers = (first_name: string, last_name: string, count: number) =>
      importRows(
        Array.from({ length: count }, () => ({ email: `${uuid()}@example.cl`, first_name, last_name })),
        { ...headers },
      );
    await customers('Juan Tadeo', 'Soto Vera', 1);
    await customers('Ana Luz', 'Lagos Ver', 1);
    await customers('Juan', 'Soto', 600);
    await customers('Luz', 'Vera', 600);
    await customers('Juan Andrés', 'Rojas', 700);
    const found = async (q: string) => {
      const candidates = await find(q, {}, { ...headers });
      return [...new Set(candidates.map(({ first_name }) => first_name))];
    };
    // By the whole phrase, and by the rare word at any position.
    for (const q of ['juan tadeo soto', 'soto juan tadeo', 'juan soto vera', 'tadeo vera', 'vera tadeo'])
      expect(await found(q), q).toEqual(['Juan Tadeo']);
    // "ver" as a prefix exceeds the read limit, but is the full name of one customer.
    expect(await found('ver luz')).toContain('Ana Luz');
    // More customers match than are read, and none by the whole phrase.
    for (const q of ['andres roj', 'roj andres']) expect(await found(q), q).toEqual(['Juan Andrés']);
  });

  test('a merged customer is found only as its survivor, by the names of both', async () => {
    const { headers } = await createOtherProfileKey();
    const [survivorId] = await importRows([{ email: 'zoe@example.cl', first_name: 'Zoe' }], { ...headers });
    await importRows([{ national_id: '11.111.111-1', first_name: 'Zoila' }], { ...headers });
    await importRows([{ national_id: '11.111.111-1', email: 'zoe@example.cl' }], { ...headers });
    for (const q of ['zoe', 'zoila', 'zo'])
      expect(
        (await find(q, {}, { ...headers })).map((one) => one.customer_profile_id),
        q,
      ).toEqual([survivorId]);
  });

  test('does not return customers of another profile', async () => {
    const { headers } = await createOtherProfileKey();
    expect(await find('maria', {}, { ...headers })).toEqual([]);
  });
});

describe('400', () => {
  test.each([
    ['[cust-065]', {}, 'q'],
    ['[cust-065]', { q: 'x'.repeat(201) }, 'q'],
    ['[lim-003]', { q: 'maria', limit: '0' }, 'limit'],
    ['[lim-003]', { q: 'maria', limit: '51' }, 'limit'],
    ['[lim-003]', { q: 'maria', limit: 'ten' }, 'limit'],
    ['[cust-064]', { q: 'maria', exclude: 'me' }, 'exclude'],
    ['', { q: 'maria', cursor: '1|2' }, 'cursor'],
  ])('%s %j returns 400 with the field %s', async (_id, query, field) => {
    const response = await get(query as Record<string, string>);
    expect(response.json().error).toMatchObject({ code: 'invalid_parameter', status: 400, field });
  });
});

describe('403', () => {
  test('[cust-063] is returned to a key without customers:read', async () => {
    const writer = await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] });
    expect((await get({ q: 'maria' }, { ...writer.headers })).json().error).toMatchObject({
      code: 'insufficient_scope',
      status: 403,
      required_scopes: ['customers:read'],
    });
  });
});

async function createOtherProfileKey(): Promise<BuiltKey> {
  const other = await buildProfile(kit.app);
  return buildApiKey(kit.app, other.id, { scopes: ['customers:read', 'attribution:write'] });
}
