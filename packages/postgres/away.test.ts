import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAway, isContended, wasTooSlow } from './away.ts';
import { createPostgres } from './ledger.ts';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

test.each([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['08006', '53100', '53200', '53300', '57P01', '57P03', '25006', '25P03', '57014', '58030'],
])('%s passes', (code) => expect(isAway(Object.assign(new Error(), { code }))).toBe(true));

test.each(['23505', '42703', '22P02', '25001', '57000', undefined])('%s stays', (code) =>
  expect(isAway(Object.assign(new Error('x'), { code }))).toBe(false),
);

test('what a library wrapped is looked for in its causes', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  expect(isAway(new Error('adapter', { cause: new Error('driver', { cause: refused }) }))).toBe(true);
  const circle = new Error('circle');
  circle.cause = circle;
  expect(isAway(circle)).toBe(false);
});

test.each(['40001', '40P01', '55P03'])('%s is nobody’s fault, and PostgreSQL is there', (code) => {
  const error = Object.assign(new Error('x'), { code });
  expect([isContended(error), isAway(error)]).toEqual([true, false]);
});

test('a PostgreSQL that is read-only, or too slow, passes, and says which', async () => {
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
  expect([isAway(readOnly), wasTooSlow(readOnly)]).toEqual([true, false]);
  const slow = await under('-c statement_timeout=50', sql`SET LOCAL statement_timeout = 50; SELECT pg_sleep(5)`);
  expect([isAway(slow), wasTooSlow(slow)]).toEqual([true, true]);
});
