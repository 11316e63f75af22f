import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';

const world = await openTestWithClickHouse();
const day = (number: number) => new Date(Date.UTC(2026, 2, number)).toISOString();
const family = 'family@example.test';
const reason = 'The new shop system gave a second key.';

async function open() {
  const shop = await scene(world, {
    scopes: ['attribution:write', 'customers:read', 'conversions:read'],
    reportingCurrency: 'USD',
  });
  const rows = async <Row>(query: ReturnType<typeof sql>) =>
    (await shop.ledger.transaction((tx) => query.execute(tx))).rows as Row[];
  const post = async (path: string, body: object) => {
    const answer = await shop.call('POST', path, body);
    return { status: answer.statusCode, body: answer.json() };
  };
  const count = { erasures: 0 };
  return {
    ...shop,
    rows,
    post,
    pay: (key: string, traits: object, at = day(5)) =>
      shop.send({ idempotency_key: key, occurred_at: at, user_traits: traits }),
    erase: (selector: object) => {
      count.erasures += 1;
      return post('/api/v1/customers/erasures', { request_ref: `e-${count.erasures}`, ...selector });
    },
    payments: async () =>
      rows<{ key: string; name: string | null }>(sql`
        SELECT o.idempotency_key AS key, (
          SELECT string_agg(i.value, ' ' ORDER BY i.value) FROM identifiers i
          WHERE i.customer_id = o.customer_id AND i.kind = 'external_customer_id') AS name
        FROM outcomes o ORDER BY o.idempotency_key`),
    holder: async (value: string) =>
      (await rows<{ id: string }>(sql`SELECT customer_id AS id FROM identifiers WHERE value = ${value}`))[0]?.id,
    proposals: async (state = 'open') => (await shop.ask(`/api/v1/merge-proposals?state=${state}`)).body.data,
    decide: (id: string, verb: string, query = '') => post(`/api/v1/merge-proposals/${id}/${verb}${query}`, { reason }),
  };
}

test('two customer keys with one email stay two customers on every route, and their merge is proposed', async () => {
  const shop = await open();
  await shop.pay('m-1', { external_id: 'mother', email: family, first_name: 'Madre' });
  await shop.pay('s-1', { external_id: 'son', email: family, phone: '+56911112222' });
  const imported = await shop.post('/api/v1/customers', {
    rows: [
      { external_id: 'aunt', email: family },
      { external_id: 'uncle', email: family, phone: '+56911112222' },
      { email: family },
    ],
  });
  const { results } = imported.body.data;
  expect(results.map(({ status }: { status: string }) => status)).toEqual(['created', 'created', 'matched']);
  // A record with only the shared email belongs to the customer that had it first.
  expect(results[2].customer_profile_id).toBe(await shop.holder('mother'));
  expect(await shop.payments()).toEqual([
    { key: 'm-1', name: 'mother' },
    { key: 's-1', name: 'son' },
  ]);
  const found = (await shop.ask(`/api/v1/customers/search?q=${family}`)).body.data;
  expect(found).toHaveLength(4);
  expect(found.every((one: { primary_email: string }) => one.primary_email === family)).toBe(true);
  const proposals = await shop.proposals();
  expect(proposals).toHaveLength(4);
  expect(proposals).toContainEqual(
    expect.objectContaining({
      state: 'open',
      shared: { kind: 'email', value: family },
      customers: expect.arrayContaining([
        expect.objectContaining({ customer_key: 'mother', name: 'Madre' }),
        expect.objectContaining({ customer_key: 'son' }),
      ]),
    }),
  );
});

test('an erasure by key leaves the other customer with its payments and the shared email', async () => {
  const shop = await open();
  await shop.pay('m-1', { external_id: 'mother', email: family });
  await shop.pay('s-1', { external_id: 'son', email: family });
  const answer = await shop.erase({ email: family });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter' } } });
  expect(answer.body.error.message).toMatch(/"email" matches several customers/);
  expect(await shop.payments()).toHaveLength(2);

  expect((await shop.erase({ customer_key: 'mother' })).status).toBe(202);
  expect(await shop.payments()).toEqual([
    { key: 'm-1', name: null },
    { key: 's-1', name: 'son' },
  ]);
  expect(await shop.holder(family)).toBe(await shop.holder('son'));
  // Later events of the erased key are not the son's. A new key with the shared email is a third customer.
  await shop.pay('m-2', { external_id: 'mother', email: family }, day(20));
  await shop.pay('d-1', { external_id: 'daughter', email: family }, day(1));
  expect(await shop.payments()).toMatchObject([
    { key: 'd-1', name: 'daughter' },
    { key: 'm-1', name: null },
    { key: 'm-2', name: null },
    { key: 's-1', name: 'son' },
  ]);
});

test('a phone that several customers share erases none of them', async () => {
  const shop = await open();
  await shop.pay('m-1', { external_id: 'mother', phone: '+56911112222' });
  await shop.pay('s-1', { external_id: 'son', phone: '+56911112222' });
  expect(await shop.erase({ phone: '+56911112222' })).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_parameter' } },
  });
});

test('a proposed merge is previewed, confirmed, undone and rejected; a confirmed one is erased with all its keys', async () => {
  const shop = await open();
  await shop.pay('a-1', { external_id: 'old', email: family });
  await shop.pay('b-1', { external_id: 'new', email: family });
  const [proposal] = await shop.proposals();
  const preview = await shop.decide(proposal.id, 'confirm', '?dry_run=true');
  expect(preview).toMatchObject({
    status: 200,
    body: { data: { outcome: 'dry_run', merge_id: null, moved: { identifiers: 1, outcomes: 1 } } },
  });
  expect(await shop.proposals()).toHaveLength(1);
  const confirmed = await shop.decide(proposal.id, 'confirm');
  expect(confirmed).toMatchObject({
    status: 200,
    body: { data: { outcome: 'applied', merge_id: expect.any(String) } },
  });
  expect(await shop.decide(proposal.id, 'confirm')).toMatchObject({ body: { data: { outcome: 'no_change' } } });
  expect((await shop.payments()).map(({ name }) => name)).toEqual(['new old', 'new old']);
  expect(await shop.proposals('confirmed')).toMatchObject([{ id: proposal.id, reason }]);
  // A later event with one of the keys does not change the merge.
  await shop.pay('b-2', { external_id: 'new', email: family });
  expect((await shop.payments()).map(({ name }) => name)).toEqual(['new old', 'new old', 'new old']);

  const undone = await shop.post(`/api/v1/merges/${confirmed.body.data.merge_id}/undo`, { reason });
  expect(undone).toMatchObject({ status: 200, body: { data: { outcome: 'applied' } } });
  expect(await shop.payments()).toEqual([
    { key: 'a-1', name: 'old' },
    { key: 'b-1', name: 'new' },
    { key: 'b-2', name: 'new' },
  ]);

  expect(await shop.decide(proposal.id, 'reject')).toMatchObject({
    status: 200,
    body: { data: { state: 'rejected' } },
  });
  expect(await shop.proposals()).toEqual([]);
  expect(await shop.decide(proposal.id, 'confirm')).toMatchObject({ body: { data: { outcome: 'applied' } } });
  expect((await shop.erase({ customer_key: 'old' })).status).toBe(202);
  expect((await shop.erase({ customer_key: 'new' })).status).toBe(200);
  expect((await shop.payments()).every(({ name }) => name === null)).toBe(true);
});

test('customers that earlier versions merged are separated before one of their keys is erased', async () => {
  const shop = await open();
  await shop.pay('m-1', { external_id: 'mother', email: family });
  // Emulates an earlier version: a second key on one customer, without a merge.
  const id = await shop.holder('mother');
  await shop.rows(sql`
    INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
    VALUES (${shop.profileId}, 'external_customer_id', 'son', ${id}, 'api', now())`);
  await shop.pay('s-1', { external_id: 'son' });
  // Also a merge of two keys that no member confirmed.
  await shop.pay('t-1', { external_id: 'third', email: 'third@example.test' });
  const third = await shop.holder('third');
  await shop.rows(sql`
    WITH merged AS (UPDATE customers SET merged_into = ${id} WHERE id = ${third}), moved AS (
      UPDATE identifiers SET customer_id = ${id}, moved_from = ${third} WHERE customer_id = ${third})
    INSERT INTO merges (profile_id, loser_id, survivor_id, merged_at, source, said_kinds, named_one, named_other)
    VALUES (${shop.profileId}, ${third}, ${id}, now(), 'api', '{email}', ${id}, ${third})`);
  expect((await shop.payments()).map(({ name }) => name)).toEqual(Array(3).fill('mother son third'));

  expect(await shop.erase({ email: family })).toMatchObject({ status: 400 });
  expect((await shop.erase({ customer_key: 'son' })).status).toBe(202);
  expect(await shop.payments()).toEqual([
    { key: 'm-1', name: 'mother' },
    { key: 's-1', name: null },
    { key: 't-1', name: 'third' },
  ]);
});
