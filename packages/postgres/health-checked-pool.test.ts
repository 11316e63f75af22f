import { openFlakyLineTo, openTestkit, type Testkit } from '@tributary/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PatientPool } from './health-checked-pool.ts';
import { isUnavailable } from './unavailable.ts';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

test('while PostgreSQL is frozen, waiting and new requests fail fast; afterwards requests succeed again', async () => {
  const line = await openFlakyLineTo(kit.database.appUrl);
  // Longer than the test, so an earlier error does not come from this timeout.
  const pool = new PatientPool({ connectionString: line.url, max: 2, connectionTimeoutMillis: 60_000 });
  pool.on('error', () => {});
  const errorOf = (query: Promise<unknown>) => query.then(() => undefined).catch((error: unknown) => error);
  try {
    await Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')]);
    line.freeze();
    const atWork = [pool.query('SELECT 1'), pool.query('SELECT 1')];
    const waiting = await Promise.all(Array.from({ length: 5 }, () => errorOf(pool.query('SELECT 1'))));
    for (const error of [...waiting, await errorOf(pool.connect())]) {
      expect(isUnavailable(error)).toBe(true);
      expect((error as Error).message).toBe('PostgreSQL does not answer.');
    }
    line.mend();
    await Promise.all(atWork);
    await expect.poll(() => errorOf(pool.query('SELECT 1'))).toBeUndefined();
    expect(pool.waitingCount).toBe(0);
  } finally {
    line.mend();
    await pool.end();
    await line.close();
  }
});

test('requests wait for a busy pool while PostgreSQL answers', async () => {
  const pool = new PatientPool({ connectionString: kit.database.appUrl, max: 1, connectionTimeoutMillis: 30_000 });
  try {
    const slow = pool.query('SELECT pg_sleep(2.5)');
    const { rows } = await pool.query('SELECT 1 AS one');
    expect(rows).toEqual([{ one: 1 }]);
    await slow;
  } finally {
    await pool.end();
  }
});
