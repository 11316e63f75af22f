import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openMerchant } from './payments.fixture.ts';

const world = await openTestWithClickHouse();

test('the `counted` filter lists only counted or only uncounted payments, and paginates', async () => {
  const shop = await openMerchant(world);
  const counted = await shop.pay('p-1', 1, '100', 'ana');
  const duplicate = await shop.pay('p-2', 2, '50', 'ana');
  const excluded = await shop.pay('p-3', 3, '25', 'ana');
  await shop.ledger.transaction(async (tx) => {
    await sql`UPDATE outcomes SET uncounted = 'duplicate', duplicate_of = ${counted} WHERE id = ${duplicate}`.execute(
      tx,
    );
    await sql`UPDATE outcomes SET uncounted = 'excluded' WHERE id = ${excluded}`.execute(tx);
  });
  const idsOf = async (query: Record<string, string>) => {
    const { status, body } = await shop.list(query);
    expect(status).toBe(200);
    return body.data.map(({ id }: { id: string }) => id);
  };
  expect(await idsOf({})).toHaveLength(3);
  expect(await idsOf({ counted: 'true' })).toEqual([counted]);
  expect(await idsOf({ counted: 'false' })).toEqual([excluded, duplicate]);
  expect(await idsOf({ counted: 'false', limit: '1' })).toEqual([excluded]);
  expect((await shop.list({ counted: 'maybe' })).status).toBe(400);
});
