import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgres } from './ledger.ts';
import { addressForPrograms, partsOf } from './servers.ts';
import { isContended, isUnavailable, wasTooSlow } from './unavailable.ts';
import { tablesIn } from './upgrade-plan.ts';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

test.each([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['08006', '53100', '53200', '53300', '57P01', '57P03', '25006', '25P03', '57014', '58030'],
])('treats %s as temporary unavailability', (code) =>
  expect(isUnavailable(Object.assign(new Error(), { code }))).toBe(true),
);

test.each(['23505', '42703', '22P02', '25001', '57000', undefined])(
  'does not treat %s as temporary unavailability',
  (code) => expect(isUnavailable(Object.assign(new Error('x'), { code }))).toBe(false),
);

test('finds the error code in the causes of a wrapped error', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  expect(isUnavailable(new Error('adapter', { cause: new Error('driver', { cause: refused }) }))).toBe(true);
  const circle = new Error('circle');
  circle.cause = circle;
  expect(isUnavailable(circle)).toBe(false);
});

test.each(['40001', '40P01', '55P03'])('treats %s as contention, not as unavailability', (code) => {
  const error = Object.assign(new Error('x'), { code });
  expect([isContended(error), isUnavailable(error)]).toEqual([true, false]);
});

test('reports a read-only server and a statement timeout as unavailable, and only the timeout as too slow', async () => {
  const under = async (option: string, statement: ReturnType<typeof sql>) => {
    const postgres = createPostgres({
      url: `${kit.database.appUrl}?options=${encodeURIComponent(option)}`,
      poolSize: 1,
    });
    const { id } = await buildProfile(kit.app);
    const error = await postgres
      .forProfile(id)
      .transaction((tx) => statement.execute(tx))
      .catch((thrown: unknown) => thrown);
    await postgres.close();
    return error;
  };
  const readOnly = await under('-c default_transaction_read_only=on', sql`UPDATE profiles SET name = name`);
  expect([isUnavailable(readOnly), wasTooSlow(readOnly)]).toEqual([true, false]);
  const slow = await under('-c statement_timeout=50', sql`SET LOCAL statement_timeout = 50; SELECT pg_sleep(5)`);
  expect([isUnavailable(slow), wasTooSlow(slow)]).toEqual([true, true]);
});

test('the write check allocates disk space', async () => {
  const written = async () => {
    const { rows } = await kit.owner.unbound.query(
      sql<{ bytes: string }>`SELECT temp_bytes AS bytes FROM pg_stat_database WHERE datname = current_database()`,
    );
    return Number(rows[0]?.bytes);
  };
  const before = await written();
  await kit.app.pingWrites();
  // A session updates its statistics about once a second.
  await expect.poll(written, { timeout: 15_000 }).toBeGreaterThan(before + 100_000);
});

test('connects to the server that takes writes, and reports unavailability while none does', async () => {
  const { hosts, withHost } = partsOf(kit.database.appUrl);
  const ask = async (...servers: string[]) => {
    const postgres = createPostgres({ url: withHost(servers.join(',')), poolSize: 2 });
    try {
      const { rows } = await postgres.unbound.query(sql<{ one: number }>`SELECT 1 AS one`);
      return rows[0]?.one;
    } catch (error) {
      return isUnavailable(error) && (error as Error).message;
    } finally {
      await postgres.close();
    }
  };
  const closedPort = '127.0.0.1:1';
  expect(await ask(closedPort, hosts[0] ?? '')).toBe(1);
  expect(await ask(hosts[0] ?? '', closedPort)).toBe(1);
  expect(await ask(closedPort, '127.0.0.1:2')).toBe('None of 127.0.0.1:1, 127.0.0.1:2 takes writes.');
});

test('the address for PostgreSQL’s client programs has all servers and no password', () => {
  expect(addressForPrograms('postgres://ann:s%40fe@one:1,two:2/db?sslmode=require')).toEqual({
    address: 'postgres://ann@one:1,two:2/db?sslmode=require&target_session_attrs=read-write',
    password: 's@fe',
  });
  expect(addressForPrograms('postgres://ann:x@one/db')).toEqual({ address: 'postgres://ann@one/db', password: 'x' });
});

test('lists the tables that a migration rewrites, indexes or reads, but not tables that it only names', () => {
  const text = `
    -- UPDATE nothing SET x = 1;
    CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE within_a_function SET x = 1 $$;
    ALTER TABLE only_named ADD COLUMN y text;
    ALTER TABLE later ADD CONSTRAINT c CHECK (y > 0) NOT VALID;
    ALTER TABLE widened ADD COLUMN z integer DEFAULT 0 CHECK (z >= 0);
    CREATE UNIQUE INDEX i ON indexed (y);
    UPDATE rewritten AS r SET y = 1;
    INSERT INTO new_one (y) SELECT y FROM copied;
    ALTER TABLE checked ALTER COLUMN y SET NOT NULL;
    DO $$ BEGIN DELETE FROM cleared WHERE y = 1; END $$;`;
  expect(tablesIn(text).sort()).toEqual(['checked', 'cleared', 'copied', 'indexed', 'rewritten', 'widened']);
});
