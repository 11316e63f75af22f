import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import type { Context } from '../context.ts';
import { dataOf, momentPattern, refusal, uuidPattern } from '../expect.ts';
import { buyer, days, lead, leads, record } from './fixtures.ts';

/** The list row of the buyer's payment. */
async function rowOf(context: Context) {
  const { key, email } = await buyer(context);
  const rows = dataOf(await context.api.get(`customers?${days(context)}&goal=payment_received&search=${email}`));
  assert.equal(rows.length, 1, `rows of ${key}`);
  return rows[0];
}

export const customers = checksOf('customers', (check) => {
  check(
    'cust-001 cust-002 cust-003 cust-004 cust-005 cust-006',
    'lists a conversion with its customer',
    async (context) => {
      const { email, key, id } = await buyer(context);
      const row = await rowOf(context);
      assert.match(row.conversion_id, uuidPattern);
      assert.deepEqual([row.customer_profile_id, row.name, row.email], [id, `Berta ${key}`, email]);
      const fields = [
        'country',
        'device',
        'channel',
        'source',
        'revenue',
        'revenue_type',
        'conversion_time',
        'time_to_complete_seconds',
      ];
      for (const field of [...fields, 'touch_count', 'touch_channels', 'conversion_count', 'total_revenue'])
        assert.ok(field in row, `${field} is missing`);
      const journey = await context.api.get(`customers/${row.customer_profile_id}/journey`);
      assert.ok(dataOf(journey).total_count > 0);
    },
  );

  check(
    'cust-011 cust-012 cust-013 cust-017 cust-018',
    'returns the value of a conversion and of its customer',
    async (context) => {
      const row = await rowOf(context);
      assert.deepEqual([row.revenue, row.revenue_type, row.total_revenue], [120.5, 'cash', 120.5]);
      assert.match(row.conversion_time, momentPattern);
      assert.equal(row.conversion_count, 2);
    },
  );

  check('cust-038 cust-043 cust-047', 'lists the conversions of the requested type and dates', async (context) => {
    const { api, clock } = context;
    const { goal, keys } = await leads(context);
    const answer = await api.get(`customers?${days(context)}&goal=${goal}&limit=100`);
    assert.equal(dataOf(answer).length, keys.length);
    assert.deepEqual([answer.body.meta.date_from, answer.body.meta.date_to], [clock.day(2), clock.day(-1)]);
    assert.deepEqual(dataOf(await api.get(`customers?date_from=2026-01-01&date_to=2026-01-02&goal=${goal}`)), []);
    const { body } = await api.get(`customers?${days(context)}&goal=payment_received&search=${keys[0]}`);
    assert.deepEqual(body.data, []);
  });

  check('cust-039 cust-040 cust-041 cust-042', 'refuses a list without its three parameters', async (context) => {
    const { api } = context;
    refusal(await api.get('customers?date_to=2026-01-02&goal=lead_created'), 400, 'invalid_date_range');
    refusal(await api.get('customers?date_from=2026-01-02&goal=lead_created'), 400, 'invalid_date_range');
    refusal(await api.get(`customers?${days(context)}`), 400, 'invalid_parameter');
  });

  check('cust-044', 'filters the list by name or e-mail address', async (context) => {
    const { api } = context;
    const { goal, keys } = await leads(context);
    const list = `customers?${days(context)}&goal=${goal}&search=`;
    const byName = dataOf(await api.get(`${list}ana7`));
    const byEmail = dataOf(await api.get(`${list}${keys[7]}@example.com`));
    assert.deepEqual([byName.length, byEmail.length], [1, 1]);
    assert.equal(byName[0].customer_profile_id, byEmail[0].customer_profile_id);
  });

  check(
    'cust-022 cust-029 cust-030 cust-031 cust-035 cust-059 cust-062',
    'returns a result per imported row in order, and a summary',
    async ({ api, unique }) => {
      const name = unique('import');
      const rows = [
        { email: `${name}-a@example.com`, first_name: 'Ana', last_name: 'Soto', external_id: `${name}-a` },
        { external_id: `${name}-b` },
        { email: 'no address' },
        { email: `${name}-c@example.com` },
      ];
      const { results, summary } = dataOf(await api.post('customers', { rows }));
      assert.deepEqual(
        results.map((one: Json) => [one.index, one.status]),
        [
          [0, 'created'],
          [1, 'rejected'],
          [2, 'rejected'],
          [3, 'created'],
        ],
      );
      assert.deepEqual(summary, { total: 4, created: 2, matched: 0, rejected: 2 });
    },
  );

  check(
    'cust-026 cust-033 cust-034 cust-056 cust-057 cust-058 cust-060 cust-061',
    'rejects rows without a customer, with a reason, and accepts the others',
    async ({ api, unique }) => {
      const name = unique('rejected');
      const rows = [{ first_name: 'Ana' }, { external_id: name }, { email: `${name}@example.com` }];
      const { results } = dataOf(await api.post('customers', { rows }));
      for (const { status, customer_profile_id, reason } of results.slice(0, 2)) {
        assert.deepEqual([status, customer_profile_id], ['rejected', null]);
        assert.ok(reason);
      }
      assert.equal(results[2].status, 'created');
      assert.equal('reason' in results[2], false);
      refusal(await api.get(`customers/journey?customer_key=${name}`), 404, 'customer_not_found');
    },
  );

  check(
    'cust-023 cust-024 cust-032',
    'matches a row by e-mail in any capitals and by phone in any spelling',
    async ({ api, unique }) => {
      const name = unique('match');
      const digits = `9${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
      const importOne = async (row: object) => dataOf(await api.post('customers', { rows: [row] })).results[0];
      const first = await importOne({ email: `${name}@example.com`, phone: `+56${digits}` });
      for (const row of [
        { email: `  ${name.toUpperCase()}@EXAMPLE.com ` },
        { phone: `+56 9 ${digits.slice(1, 5)} ${digits.slice(5)}` },
        { phone: digits },
      ]) {
        const again = await importOne(row);
        assert.deepEqual(
          [again.status, again.customer_profile_id],
          ['matched', first.customer_profile_id],
          JSON.stringify(row),
        );
      }
      const [found] = dataOf(await api.get(`customers/search?q=${name}`));
      assert.deepEqual([found.primary_email, found.primary_phone], [`${name}@example.com`, `+56${digits}`]);
    },
  );

  check('cust-025 cust-053', 'accepts a RUT in any punctuation, and no ids of other countries', async ({ api }) => {
    const body = String(Math.floor(Math.random() * 8_000_000) + 10_000_000);
    const sum = [...body].reverse().reduce((all, digit, index) => all + Number(digit) * (2 + (index % 6)), 0);
    const control = ['0', 'K'][[11, 10].indexOf(11 - (sum % 11))] ?? String(11 - (sum % 11));
    const dotted = body.replace(/\B(?=(\d{3})+$)/g, '.');
    const importOne = async (national_id: string) =>
      dataOf(await api.post('customers', { rows: [{ national_id }] })).results[0];
    const first = await importOne(`${dotted}-${control}`);
    assert.equal(first.status, 'created');
    for (const spelling of [`${body}-${control}`, `${body}${control}`, `${dotted}-${control.toLowerCase()}`])
      assert.equal((await importOne(spelling)).customer_profile_id, first.customer_profile_id);
    const rows = [{ national_id: 'x' }];
    assert.ok([400, 422].includes((await api.post('customers', { rows, country: 'AR' })).status));
  });

  check('cust-027 cust-028', 'fills an empty name and never replaces one', async ({ api, unique }) => {
    const email = `${unique('names')}@example.com`;
    for (const row of [
      { email },
      { email, first_name: 'Ana', last_name: 'Soto' },
      { email, first_name: 'Eva', last_name: 'Rojas' },
    ])
      dataOf(await api.post('customers', { rows: [row] }));
    const [found] = dataOf(await api.get(`customers/search?q=${email}`));
    assert.deepEqual([found.first_name, found.last_name], ['Ana', 'Soto']);
  });

  check(
    'cust-050 cust-051 cust-052 cust-054',
    'creates no conversions from an import, and refuses one without rows',
    async ({ api, unique }) => {
      const email = `${unique('quiet')}@example.com`;
      dataOf(await api.post('customers', { rows: [{ email }], country: 'CL' }));
      const [found] = dataOf(await api.get(`customers/search?q=${email}`));
      assert.equal(found.conversion_count, 0);
      refusal(await api.post('customers', { country: 'CL' }), 422, 'validation_error');
    },
  );

  check(
    'cust-036 cust-037 cust-063 cust-070',
    'shows a candidate with contacts, conversions and exact cash',
    async (context) => {
      const { email, phone, key } = await buyer(context);
      const [found] = dataOf(await context.api.get(`customers/search?q=${key}`));
      assert.deepEqual(
        [found.first_name, found.last_name, found.primary_email, found.primary_phone],
        ['Berta', key, email, phone],
      );
      assert.deepEqual(
        [found.conversion_count, Number(found.cash_revenue), typeof found.cash_revenue],
        [2, 120.5, 'string'],
      );
      assert.ok(Array.isArray(found.sources));
      assert.match(found.first_seen_at, momentPattern);
    },
  );

  check(
    'cust-064 cust-065 cust-067 cust-068',
    'finds by name, e-mail and phone, and leaves out the excluded',
    async (context) => {
      const { api } = context;
      const { email, phone, key, id } = await buyer(context);
      for (const q of [key, email, phone]) {
        const found = dataOf(await api.get(`customers/search?q=${encodeURIComponent(q)}`));
        assert.deepEqual(
          found.map((one: Json) => one.customer_profile_id),
          [id],
          `q=${q}`,
        );
      }
      assert.deepEqual(dataOf(await api.get(`customers/search?q=${key}&exclude=${id}`)), []);
      refusal(await api.get('customers/search?limit=5'), 400, 'invalid_parameter');
    },
  );

  check(
    '',
    'never merges two customers with different keys because they share an e-mail address',
    async ({ api, unique }) => {
      const email = `${unique('shared')}@example.com`;
      const keys = [unique('one'), unique('two')];
      for (const external_id of keys) await record(api, lead(external_id, { user_traits: { external_id, email } }));
      const ids = [];
      for (const key of keys)
        ids.push((await api.get(`customers/journey?customer_key=${key}`)).body.meta.person.customer_profile_id);
      assert.notEqual(ids[0], ids[1]);
    },
  );
});
