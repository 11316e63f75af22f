import { buildProfile, openKit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import { listSuspects } from './module.ts';

const kit = await openKit();
let profileId: string;
beforeEach(async () => {
  ({ id: profileId } = await buildProfile(kit.app));
});

/** Inserts a customer whose messages are one day apart and contain new identifiers. */
async function customer(...messages: string[][]): Promise<string> {
  const id = uuid();
  await kit.app.forProfile(profileId).transaction(async (tx) => {
    await sql`
      INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
      VALUES (${profileId}, ${id}, '{}', '{}', now(), now(), now())`.execute(tx);
    for (const [day, identifiers] of messages.entries()) {
      const requestId = uuid();
      for (const [kind, value] of identifiers.map((text) => text.split(' ')))
        await sql`
          INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at, request_id)
          VALUES (${profileId}, ${kind}, ${value}, ${id}, 'events', ${new Date(Date.UTC(2026, 4, day + 1))}, ${requestId})`.execute(
          tx,
        );
    }
  });
  return id;
}
const list = (after = '00000000-0000-0000-0000-000000000000', limit = 100) =>
  listSuspects(kit.app, profileId, { after, limit, progress: () => {} });

test('lists customers whose later key was added while they had a phone, with the possible match kinds', async () => {
  const byPhone = await customer(['external_customer_id mother', 'phone 1'], ['external_customer_id son']);
  const unclear = await customer(
    ['external_customer_id a', 'phone 2', 'email a'],
    ['external_customer_id b', 'crm_contact_id b'],
  );
  const inOneRequest = await customer(['external_customer_id x', 'external_customer_id y', 'phone 3']);
  // Not listed: a customer with one key, and one whose phone was added after the second key.
  await customer(['external_customer_id c', 'phone 4'], ['email c']);
  await customer(['external_customer_id d', 'email d'], ['external_customer_id e'], ['phone 5']);
  const { suspects, next } = await list();
  expect(suspects.map(({ customerId, externalIds, foundBy }) => [customerId, externalIds, foundBy])).toEqual([
    [byPhone, ['mother', 'son'], ['phone']],
    [unclear, ['a', 'b'], ['email', 'phone']],
    [inOneRequest, ['x', 'y'], ['phone']],
  ]);
  expect(suspects[0]?.joinedAt).toEqual(new Date('2026-05-02T00:00:00Z'));
  expect(next).toBeUndefined();
});

test('lists suspects in pages and only of the own profile', async () => {
  const ids = [];
  for (const name of ['p', 'q', 'r'])
    ids.push(await customer([`external_customer_id ${name}`, `phone ${name}`], [`external_customer_id ${name}2`]));
  const first = await list(undefined, 2);
  expect([first.suspects.map(({ customerId }) => customerId), first.next]).toEqual([ids.slice(0, 2), ids[1]]);
  expect((await list(first.next, 2)).suspects.map(({ customerId }) => customerId)).toEqual(ids.slice(2));
  ({ id: profileId } = await buildProfile(kit.app));
  expect(await list()).toEqual({ suspects: [], next: undefined });
});
