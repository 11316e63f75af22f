import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

test('a walk returns each profile only its own rows', async () => {
  const ids = await Promise.all([1, 2, 3].map(async () => (await buildProfile(kit.app)).id));
  const left = new Map(ids.map((profileId) => [profileId, uuid()]));
  for (const [profileId, outcomeId] of left)
    await kit.app
      .forProfile(profileId)
      .transaction((tx) => sql`INSERT INTO moved_conversions VALUES (${profileId}, ${outcomeId}, now())`.execute(tx));
  // All profiles request all ids, so only row-level security separates the rows.
  const stops = ids.map((profileId) => ({ profileId, ids: [...left.values()] }));
  const walk = () =>
    kit.app.walk<{ outcome_id: string }>('SELECT outcome_id FROM moved_conversions WHERE outcome_id = ANY ($1)', stops);
  const found = await walk();
  expect([...found]).toEqual([...left].map(([profileId, outcome_id]) => [profileId, [{ outcome_id }]]));
  // The first walk left no state on the connection.
  expect(await walk()).toEqual(found);
  const { rows } = await kit.app.unbound.query(sql`SELECT FROM moved_conversions`);
  expect(rows).toEqual([]);
});

test('a walk rejects writes and ids that are not UUIDs, and fails as a whole', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const walk = (statement: string, stops = [{ profileId, ids: [] as string[] }]) => kit.app.walk(statement, stops);
  await expect(walk('DELETE FROM moved_conversions WHERE outcome_id = ANY ($1)')).rejects.toMatchObject({
    code: '25006',
  });
  await expect(walk('SELECT 1', [{ profileId: "x'; SELECT '1", ids: [] }])).rejects.toThrow(TypeError);
  await expect(walk('SELECT 1', [{ profileId, ids: ["}'); SELECT ('1"] }])).rejects.toThrow(TypeError);
  await expect(walk('SELECT 1 / cardinality($1)')).rejects.toMatchObject({ code: '22012' });
  expect([...(await walk('SELECT cardinality($1) AS n')).values()]).toEqual([[{ n: 0 }]]);
});
