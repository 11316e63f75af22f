import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgres } from './index.ts';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

const connections = async (): Promise<number> => {
  const { rows } = await kit.owner.unbound.query(
    sql<{
      n: number;
    }>`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND usename = 'tributary_app'`,
  );
  return rows[0]?.n ?? 0;
};

test('a request that outlives the shutdown opens no connection for its locks', async () => {
  const app = createPostgres({ url: kit.database.appUrl, poolSize: 1 });
  const { id } = await buildProfile(app);
  const share = () => app.privacyLocks.share([id], () => {});
  const held = await share();
  expect(held).toBeDefined();
  const before = await connections();
  await app.close();
  held?.release();
  await expect(share()).rejects.toThrow('Connection terminated: the privacy locks are closed.');
  // The pool's connection and the connection of the locks are closed.
  await expect.poll(connections).toBe(before - 2);
});
