import { routes } from '@tributary/contract';
import { type BuiltKey, buildApiKey, buildProfile, openKit, serve, served, testTombstones } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { importCustomers } from './module.ts';

/** Concurrent imports. The drill of the same name runs this at full size. */

const kit = await openKit();
const server = await serve(kit, [served(routes.importCustomers, importCustomers, { tombstones: testTombstones })]);
let profileId: string;
let key: BuiltKey;
afterAll(() => server.close());

beforeEach(async () => {
  ({ id: profileId } = await buildProfile(kit.app));
  key = await buildApiKey(kit.app, profileId);
});

const importRows = async (...rows: object[]): Promise<string[]> => {
  const response = await server.fastify.inject({
    method: 'POST',
    url: '/api/v1/customers',
    headers: { ...key.headers, 'content-type': 'application/json' },
    payload: JSON.stringify({ rows }),
  });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data.results.map((result: { customer_profile_id: string }) => result.customer_profile_id);
};
const read = <T>(query: ReturnType<typeof sql<T>>) =>
  kit.app.forProfile(profileId).transaction(async (tx) => (await query.execute(tx)).rows);

test('concurrent imports of the same new customers create each once', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => ({
    email: `user${index}@example.cl`,
    phone: `+569111111${10 + index}`,
  }));
  await Promise.all(Array.from({ length: 8 }, (_, index) => importRows(...(index % 2 ? rows : rows.toReversed()))));
  expect(await read(sql`SELECT count(*)::int AS count FROM customers`)).toEqual([{ count: 50 }]);
});

test('a concurrent merge does not leave identifiers on a customer that was merged away', async () => {
  const ruts = ['1000000-9', '1000001-7', '1000002-5', '1000003-3', '1000004-1', '1000005-K', '1000006-8', '1000007-6'];
  for (const [round, national_id] of ruts.entries()) {
    const [a, b] = [{ email: `a${round}@example.cl` }, { email: `b${round}@example.cl` }];
    const [phone, other] = [{ phone: `+569222222${10 + round}` }, { phone: `+569333333${10 + round}` }];
    const external_id = `C-${round}`;
    await importRows({ ...a, ...phone }, { ...b, external_id });
    // Small imports lock few stripes, so imports of one customer often share none.
    await Promise.all([
      importRows({ ...a, external_id }),
      importRows({ national_id, ...a }),
      importRows({ ...b, ...other }),
    ]);
    expect(new Set(await importRows(a, b, phone, other, { national_id })).size, `round ${round}`).toBe(1);
  }
  const left = sql`SELECT i.kind FROM identifiers i JOIN customers c ON c.id = i.customer_id WHERE c.merged_into IS NOT NULL`;
  expect(await read(left)).toEqual([]);
});
