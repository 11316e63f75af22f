import { setTimeout as sleep } from 'node:timers/promises';
import { buildProfile, openKit } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createPostgres } from './ledger.ts';
import { isUnavailable } from './unavailable.ts';

const kit = await openKit();

/** Counts open transactions of this database, which hold back vacuum. */
const held = async () => {
  const { rows } = await kit.app.unbound.query(
    sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`,
  );
  return rows.length;
};

test('a snapshot with a hanging reader is aborted after its time limit, and its connection is closed', async () => {
  const { id } = await buildProfile(kit.app);
  const postgres = createPostgres({ url: kit.database.appUrl, poolSize: 2, snapshotTimeoutMs: 400 });
  const hung = Promise.withResolvers<void>();
  const snapshot = postgres.snapshot(id, ({ query, beside }) =>
    beside(async () => {
      await query('SELECT 1');
      await hung.promise;
      return query('SELECT 1');
    }),
  );
  snapshot.catch(() => {});
  await expect.poll(held).toBe(2);
  await expect.poll(held).toBe(0);
  hung.resolve();
  const error = await snapshot.catch((thrown: unknown) => thrown);
  expect([(error as Error).message, isUnavailable(error)]).toEqual([
    expect.stringContaining('given up after 400 ms'),
    true,
  ]);
  // The pool has its full size again.
  const all = await Promise.all([1, 2, 3].map(() => postgres.snapshot(id, ({ query }) => query('SELECT 1 AS n'))));
  expect(all).toEqual([[{ n: 1 }], [{ n: 1 }], [{ n: 1 }]]);
  await postgres.close();
});

test('sets PostgreSQL’s own timeouts for a snapshot to its time limit', async () => {
  const { id } = await buildProfile(kit.app);
  const postgres = createPostgres({ url: kit.database.appUrl, poolSize: 1, snapshotTimeoutMs: 700 });
  const timeouts = await postgres.snapshot(id, async ({ query }) => [
    ...(await query('SHOW statement_timeout')),
    ...(await query('SHOW idle_in_transaction_session_timeout')),
  ]);
  expect(timeouts).toEqual([{ statement_timeout: '700ms' }, { idle_in_transaction_session_timeout: '700ms' }]);
  await sleep(800);
  expect(await postgres.snapshot(id, ({ query }) => query('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  await postgres.close();
});
