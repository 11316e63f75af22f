import { raw } from '@tributary/clickhouse';
import { undoMerges } from '@tributary/domain/commerce/customers';
import { openTestWithClickHouse, scene, testTombstones } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';

const world = await openTestWithClickHouse();
const day = (number: number) => new Date(Date.UTC(2026, 2, number)).toISOString();
const ana = { store_customer_id: 'ana', email: 'ana@example.test', first_name: 'Ana' };
const berta = { store_customer_id: 'berta', first_name: 'Berta', phone: '+56911112222' };
const today = world.kit.clock.now().toISOString().slice(0, 10);
const reason = 'One address was typed for two.';

async function open() {
  const shop = await scene(world, {
    scopes: ['attribution:write', 'customers:read', 'campaigns:read', 'conversions:read'],
    reportingCurrency: 'USD',
  });
  const rows = async <Row>(query: ReturnType<typeof sql>) =>
    (await shop.ledger.transaction((tx) => query.execute(tx))).rows as Row[];
  const post = async (path: string, body: object) => {
    const answer = await shop.call('POST', path, body);
    return { status: answer.statusCode, body: answer.json() };
  };
  return {
    ...shop,
    rows,
    pay: (key: string, at: string, traits: object) =>
      shop.send({ idempotency_key: key, occurred_at: at, user_traits: traits }),
    undo: (id: string, query = '') => post(`/api/v1/merges/${id}/undo${query}`, { reason }),
    split: (customerId: string, ids: string[], query = '') =>
      post(`/api/v1/customers/${customerId}/split${query}`, { reason, merges: ids.map((merge_id) => ({ merge_id })) }),
    identity: async (customerId: string) => (await shop.ask(`/api/v1/customers/${customerId}/identity`)).body.data,
    /** The merge that joined a customer. Merges in a test have equal times, so they cannot be found by order. */
    mergeOf: async (customerId: string) => {
      const { merges } = (await shop.ask(`/api/v1/customers/${customerId}/identity`)).body.data;
      return merges.find(({ joined }: { joined: string[] }) => joined.includes(customerId));
    },
    merges: async (query = '') => (await shop.ask(`/api/v1/merges?date_from=${today}&date_to=${today}${query}`)).body,
    holder: async (key: string) =>
      (await rows<{ id: string }>(sql`SELECT customer_id AS id FROM identifiers WHERE value = ${key}`))[0]
        ?.id as string,
    /** The content hash of each payment's attribution, by payment key. */
    credit: async (): Promise<Record<string, string>> => {
      const keys = await rows<{ id: string; key: string }>(sql`SELECT id, idempotency_key AS key FROM outcomes`);
      const credited = await world.clickhouse.query(
        raw<{ conversion_id: string; content_hash: string }>(
          `SELECT conversion_id, content_hash FROM attributed_conversions FINAL WHERE profile_id = '${shop.profileId}'`,
        ),
        {},
      );
      return Object.fromEntries(
        credited.map((row) => [keys.find(({ id }) => id === row.conversion_id)?.key ?? '', row.content_hash]),
      );
    },
  };
}

test('a merge is listed with its identifiers, previewed, undone and not repeated; options restores the credit', async () => {
  const shop = await open();
  const [ofAna, ofBerta] = [uuid(), uuid()];
  await shop.touch(
    { visitor_id: ofAna, occurred_at: day(1) },
    { visitor_id: ofBerta, occurred_at: day(2), source: 'google' },
  );
  const { customerId: anaId } = await shop.pay('a-1', day(5), ana);
  const { customerId: bertaId } = await shop.pay('b-1', day(6), berta);
  await shop.link(ofAna, 'ana');
  await shop.link(ofBerta, 'berta');
  await shop.attribute();
  const before = await shop.credit();

  // The call centre enters Ana's email address for Berta and continues with Berta's payments.
  expect((await shop.pay('joint', day(7), { store_customer_id: 'berta', email: ana.email })).customerId).toBe(anaId);
  await shop.pay('b-2', day(8), { store_customer_id: 'berta', email: 'berta@example.test', last_name: 'Rojas' });
  await shop.pay('b-3', day(9), { store_customer_id: 'berta-2', phone: berta.phone });
  await shop.attribute();
  expect(await shop.credit()).not.toMatchObject(before);

  const { data: listed } = await shop.merges();
  const [merge] = listed;
  expect(listed).toMatchObject([
    {
      merged_customer_id: bertaId,
      survivor_id: anaId,
      said_kinds: ['store_customer_id', 'email'],
      moved: { identifiers: 2, browsers: 1, outcomes: 1 },
      undone_at: null,
    },
  ]);
  expect(await shop.identity(bertaId)).toMatchObject({
    customer_profile_id: anaId,
    customers: [
      { customer_profile_id: anaId, name: 'Ana', identifiers: [{ value: ana.email }, { value: 'ana' }], browsers: 1 },
      { customer_profile_id: bertaId, name: 'Berta Rojas', browsers: 1, outcomes: 1 },
    ],
    customer_count: 2,
    merges: [{ id: merge.id }],
    kept_apart: [],
  });

  // A preview returns what options returns, and leaves no trace.
  const state = () => shop.rows(sql`SELECT to_jsonb(c) - 'last_seen_at' AS customer FROM customers c ORDER BY id`);
  const unchanged = await state();
  const preview = await shop.undo(merge.id, '?dry_run=true');
  expect(preview).toMatchObject({
    status: 200,
    body: {
      data: {
        outcome: 'dry_run',
        customer_profile_id: anaId,
        separated: [bertaId],
        // `joint` and `b-2` name Berta's key first, so the email address sent with `b-2` is hers.
        moved: { identifiers: 3, browsers: 1, outcomes: 3 },
        undecided: 0,
      },
    },
  });
  expect(await state()).toEqual(unchanged);
  expect(await shop.undo(merge.id)).toEqual({
    ...preview,
    body: { ...preview.body, data: { ...preview.body.data, outcome: 'applied' } },
  });
  expect(await shop.undo(merge.id)).toMatchObject({ body: { data: { outcome: 'no_change' } } });
  const causes = await shop.rows(sql`SELECT DISTINCT causes, cause_ref FROM dirty_conversions`);
  expect(causes).toEqual([{ causes: ['split'], cause_ref: merge.id }]);
  await shop.attribute();
  expect(await shop.credit()).toMatchObject(before);
  expect(await Promise.all(['berta', 'berta@example.test'].map(shop.holder))).toEqual([bertaId, bertaId]);
  expect((await shop.merges()).data).toMatchObject([{ reason, undone_at: expect.any(String) }]);

  // Repeating the mistake merges nothing and records a dispute.
  expect((await shop.pay('joint-2', day(10), { store_customer_id: 'berta', email: ana.email })).customerId).toBe(
    bertaId,
  );
  expect(await shop.identity(bertaId)).toMatchObject({
    customers: [{ customer_profile_id: bertaId, name: 'Berta Rojas' }],
    disputed: [{ kind: 'email', value: ana.email }],
    kept_apart: [{ customer_profile_id: anaId, merge_id: merge.id }],
  });
  const search = await shop.ask('/api/v1/customers/search?q=rojas');
  expect(search.body.data).toMatchObject([{ customer_profile_id: bertaId }]);
});

test('several merges of one customer are undone together, the largest are listed first, and another customer’s are refused', async () => {
  const shop = await open();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd'])
    ids.push((await shop.pay(name, day(1), { store_customer_id: name })).customerId);
  await shop.pay('c-2', day(2), { store_customer_id: 'c' });
  for (const name of ['b', 'c'])
    await shop.pay(`a-${name}`, day(3), { store_customer_id: name, email: 'desk@example.test' });
  await shop.pay('a-a', day(3), { store_customer_id: 'a', email: 'desk@example.test' });
  const page = await shop.merges('&limit=1');
  expect(page).toMatchObject({ data: [{ moved: { outcomes: 5 } }], pagination: { has_next: true } });
  const rest = await shop.merges(`&limit=1&cursor=${encodeURIComponent(page.pagination.cursor)}`);
  expect(rest).toMatchObject({ data: [{ moved: { outcomes: 2 } }], pagination: { has_next: false } });
  const merges = [page.data[0].id, rest.data[0].id];
  const [a, , , d] = ids as [string, string, string, string];
  expect(await shop.split(d, merges)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
  expect(await shop.split(uuid(), merges)).toMatchObject({
    status: 404,
    body: { error: { code: 'customer_not_found' } },
  });
  expect(await shop.split(a, [uuid()])).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(await shop.split(a, merges)).toMatchObject({ status: 200, body: { data: { outcome: 'applied' } } });
  expect(new Set(await Promise.all(['a', 'b', 'c'].map(shop.holder)))).toEqual(new Set(ids.slice(0, 3)));
  const reader = await shop.keyWith('customers:read');
  const refused = await shop.call('POST', `/api/v1/merges/${merges[0]}/undo`, { reason }, reader);
  expect(refused.statusCode).toBe(403);
});

test('one of several concurrent undo requests is applied, and the others return no_change', async () => {
  const shop = await open();
  await shop.pay('a-1', day(5), ana);
  const { customerId: bertaId } = await shop.pay('b-1', day(6), berta);
  await shop.pay('joint', day(7), { store_customer_id: 'berta', email: ana.email });
  const { id } = await shop.mergeOf(bertaId);
  const answers = await Promise.all(Array.from({ length: 8 }, () => shop.undo(id)));
  const results = answers.map(({ status, body }) => `${status} ${body.data?.outcome ?? body.error.code}`);
  expect(results.toSorted()).toEqual(['200 applied', ...Array(7).fill('200 no_change')]);
  // A transaction that read the merge before it was undone fails, so that the caller retries.
  const options = { profileId: shop.profileId, at: new Date(), by: uuid(), reason, tombstones: testTombstones };
  await expect(shop.ledger.transaction((tx) => undoMerges(tx, [{ id }], options))).rejects.toBeInstanceOf(Error);
});

test('options a merge removes a name that the customer got only through the merge', async () => {
  const shop = await open();
  const createCustomer = async (name: string, more: object = {}) =>
    (await shop.pay(name, day(1), { store_customer_id: name, email: `${name}@x.test`, ...more })).customerId;
  const [one, , three] = [
    await createCustomer('one', { first_name: 'Cora' }),
    await createCustomer('two'),
    await createCustomer('three'),
  ];
  await shop.pay('one-two', day(2), { store_customer_id: 'one', email: 'two@x.test' });
  await shop.pay('three-two', day(3), { store_customer_id: 'three', email: 'two@x.test' });
  // "Two" is merged into "one", whose name is Cora, with or without "three".
  await shop.pay('named', day(4), { store_customer_id: 'two', first_name: 'Berta' });
  await shop.pay('surname', day(5), { store_customer_id: 'two', last_name: 'Rojas' });
  const merge = await shop.mergeOf(three);
  expect(await shop.undo(merge.id)).toMatchObject({ status: 200, body: { data: { separated: [three] } } });
  const found = async (name: string) => (await shop.ask(`/api/v1/customers/search?q=${name}`)).body.data;
  expect(await found('rojas')).toMatchObject([{ customer_profile_id: one, first_name: 'Cora', last_name: 'Rojas' }]);
  expect(await found('berta')).toEqual([]);
});

test('a merge keeps the customers that it named, even after one of them was separated and erased', async () => {
  const shop = await open();
  const createCustomer = async (name: string) =>
    (await shop.pay(name, day(1), { store_customer_id: name, email: `${name}@x.test` })).customerId;
  const [oldest, middle, youngest] = [
    await createCustomer('oldest'),
    await createCustomer('middle'),
    await createCustomer('youngest'),
  ];
  await shop.pay('first', day(2), { store_customer_id: 'middle', email: 'youngest@x.test' });
  // "middle" is merged into "oldest" because of a message about "youngest".
  await shop.pay('second', day(3), { store_customer_id: 'youngest', email: 'oldest@x.test' });
  const [first, second] = [await shop.mergeOf(middle), await shop.mergeOf(oldest)];
  expect(second).toMatchObject({ merged_customer_id: middle, survivor_id: oldest, joined: [youngest, oldest] });
  await shop.undo(first.id);
  expect(await shop.holder('middle')).toBe(middle);
  const erased = await shop.call('POST', '/api/v1/customers/erasures', {
    request_ref: 'r-1',
    identifier_type: 'store_customer_id',
    identifier_value: 'middle',
  });
  expect(erased.statusCode).toBeLessThan(300);
  expect((await shop.identity(oldest)).merges).toMatchObject([
    { id: second.id, merged_customer_id: oldest, survivor_id: youngest, undone_at: null },
  ]);
  expect(await shop.undo(second.id)).toMatchObject({ body: { data: { separated: [youngest] } } });
  expect(
    await shop.rows(sql`SELECT FROM merges WHERE ${middle} IN (loser_id, survivor_id, named_one, named_other)`),
  ).toEqual([]);
});

test('options a merge joins customers whom the merge had kept apart, and keeps merges that have another reason', async () => {
  const shop = await open();
  const createCustomer = async (name: string) =>
    (await shop.pay(name, day(1), { crm_contact_id: name, store_customer_id: `${name}-crm`, email: `${name}@x.test` }))
      .customerId;
  const [one, two, three] = [await createCustomer('one'), await createCustomer('two'), await createCustomer('three')];
  await shop.pay('two-three', day(2), { crm_contact_id: 'two', email: 'three@x.test' });
  await shop.undo((await shop.mergeOf(three)).id);
  // The message is about "one", which is merged with "two" and therefore may not be "three".
  await shop.pay('all', day(3), { crm_contact_id: 'one', store_customer_id: 'two-crm', email: 'three@x.test' });
  await shop.pay('named', day(4), { crm_contact_id: 'three', first_name: 'Carla' });
  expect(await Promise.all(['one', 'two', 'three'].map(shop.holder))).toEqual([one, one, three]);
  const { disputed } = await shop.identity(one);
  expect(disputed).toMatchObject([{ value: 'three@x.test' }]);
  const { merges } = await shop.identity(one);
  const active = merges.find(({ undone_at }: { undone_at: string | null }) => undone_at === null);
  expect(await shop.undo(active.id, '?dry_run=true')).toMatchObject({ body: { data: { joined: [three] } } });
  expect(await shop.undo(active.id)).toMatchObject({
    body: { data: { customer_profile_id: one, separated: [two], joined: [three] } },
  });
  expect(await Promise.all(['one', 'two', 'three'].map(shop.holder))).toEqual([one, two, one]);
  expect(await shop.identity(one)).toMatchObject({ customer_count: 2, disputed: [] });
  const found = async (name: string) => (await shop.ask(`/api/v1/customers/search?q=${name}`)).body.data;
  expect(await found('carla')).toMatchObject([{ customer_profile_id: one }]);

  // "four" and "six" are merged through "five", and once more directly.
  const [four, five, six] = [await createCustomer('four'), await createCustomer('five'), await createCustomer('six')];
  await shop.pay('four-five', day(5), { crm_contact_id: 'four', email: 'five@x.test' });
  await shop.pay('five-six', day(6), { crm_contact_id: 'five', email: 'six@x.test' });
  await shop.pay('four-six', day(7), { crm_contact_id: 'four', email: 'six@x.test' });
  const joined = (await shop.identity(four)).merges as { id: string; joined: string[] }[];
  for (const { id } of joined) expect((await shop.undo(id)).status).toBe(200);
  expect(joined).toHaveLength(2);
  expect(await Promise.all(['four', 'five', 'six'].map(shop.holder))).toEqual([four, five, four]);
  expect(six).not.toBe(four);
});
