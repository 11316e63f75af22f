import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Client, Json } from '../client.ts';
import { eventually } from '../context.ts';
import { dataOf, refusal, unknownId, uuidPattern } from '../expect.ts';
import { allPages, lead, payment, record } from './fixtures.ts';

/** Oldest first. */
async function paymentsOf(api: Client, customer: string, from: string, to: string) {
  const rows = await allPages(
    api,
    `payments?from=${from}&to=${to}&limit=100`,
    (cursor) => `&cursor=${encodeURIComponent(cursor)}`,
  );
  return rows.filter(({ customer_key }) => customer_key === customer).reverse();
}

export const ingestion = checksOf('ingestion', (check) => {
  check('inge-001 inge-002', 'accepts an outcome from a server with 202 and an id', async ({ api, unique }) => {
    const receipt = await record(api, lead(unique('outcome')));
    assert.match(receipt.outcome_event_id, uuidPattern);
    assert.equal(receipt.status, 'recorded');
  });

  check('inge-003', 'makes the step crm_or_outcome_source_connected ready', async ({ api, unique }) => {
    await record(api, lead(unique('ready')));
    const { readiness } = dataOf(await api.get('profile'));
    const step = readiness.find((one: Json) => one.step === 'crm_or_outcome_source_connected');
    assert.equal(step?.is_done, true);
  });

  check(
    'inge-005 inge-006',
    'accepts any event name, and counts it once a definition lists it',
    async ({ api, unique }) => {
      const name = unique('Free text').replaceAll('-', ' ');
      const customer = unique('free');
      const first = await record(api, { event_name: name, user_traits: { external_id: customer } });
      assert.deepEqual(first.warnings, ['no_definition']);
      const conversion_key = unique('free_text').replaceAll('-', '_');
      dataOf(await api.post('goals/definitions', { name, conversion_key, event_names: [name] }), 201);
      const second = await record(api, { event_name: name, user_traits: { external_id: customer } });
      assert.equal(second.warnings, undefined);
      await eventually(async () => {
        const { body } = await api.get(`customers/journey?customer_key=${customer}`);
        assert.equal(body.meta.person.counts.conversions, 2);
      });
    },
  );

  check('inge-007', 'refuses an event with an amount but without an idempotency_key', async ({ api, unique }) => {
    const event = payment(unique('unkeyed'), {});
    const error = refusal(await api.post('events', event), 422, 'validation_error');
    assert.equal(error.field, 'idempotency_key');
  });

  check('inge-008', 'counts an event without a key as often as it is sent', async ({ api, unique }) => {
    const customer = unique('twice');
    const [first, second] = [await record(api, lead(customer)), await record(api, lead(customer))];
    assert.notEqual(first.outcome_event_id, second.outcome_event_id);
    const { body } = await api.get(`customers/journey?customer_key=${customer}`);
    assert.equal(body.data.total_count, 2);
  });

  check('inge-009', 'counts an event with a key once, and updates it when it changed', async (context) => {
    const { api, unique, clock } = context;
    const customer = unique('once');
    const event = payment(customer, { key: unique('order'), value: '10.00', occurred_at: clock.at(-60_000) });
    const first = await record(api, event);
    const again = await record(api, event);
    assert.deepEqual([again.outcome_event_id, again.status], [first.outcome_event_id, 'duplicate']);
    const changed = await record(api, { ...event, properties: { value: '12.00', currency: 'USD' } });
    assert.deepEqual([changed.outcome_event_id, changed.status], [first.outcome_event_id, 'updated']);
    const rows = await paymentsOf(api, customer, clock.day(1), clock.day(-1));
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      ['12.00'],
    );
  });

  check('inge-010', 'keeps the exact value and currency of a payment', async (context) => {
    const { api, unique, clock } = context;
    const customer = unique('exact');
    await record(api, payment(customer, { key: unique('o'), value: '1234567.89', currency: 'USD' }));
    await record(api, payment(customer, { key: unique('o'), value: '199990', currency: 'CLP' }));
    const rows = await paymentsOf(api, customer, clock.day(1), clock.day(-1));
    const amounts = rows.map(({ amount, currency }) => `${amount} ${currency}`).sort();
    assert.deepEqual(amounts, ['1234567.89 USD', '199990 CLP']);
    refusal(
      await api.post('events', payment(customer, { key: unique('o'), value: '1', currency: 'usd' })),
      422,
      'validation_error',
    );
  });

  check('inge-011', 'finds the customer by each identifying trait', async ({ api, unique }) => {
    const key = unique('traits');
    const phone = `+5691${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
    await record(
      api,
      lead(key, {
        user_traits: { external_id: key, email: `${key}@example.com`, phone, crm_contact_id: `crm-${key}` },
      }),
    );
    for (const traits of [{ email: `${key.toUpperCase()}@Example.com` }, { phone }, { crm_contact_id: `crm-${key}` }])
      await record(api, { event_name: 'lead_created', user_traits: traits });
    const { body } = await api.get(`customers/journey?customer_key=${key}`);
    assert.equal(body.data.total_count, 4);
  });

  check('inge-012', 'accepts nine values of action_source and no other', async ({ api, unique }) => {
    const words = [
      'website',
      'business_messaging',
      'physical_store',
      'system_generated',
      'app',
      'phone_call',
      'chat',
      'email',
      'other',
    ];
    const customer = unique('sources');
    for (const action_source of words) await record(api, lead(customer, { action_source }));
    refusal(await api.post('events', lead(customer, { action_source: 'telepathy' })), 422, 'validation_error');
  });

  check('inge-018', 'accepts click ids, including ctwa_clid', async ({ api, unique }) => {
    await record(api, lead(unique('clicks'), { click_ids: { ctwa_clid: 'abc', gclid: 'def' } }));
  });

  check('inge-019', 'creates the customer of a new external_id and keeps the key', async ({ api, unique }) => {
    const key = unique('new');
    refusal(await api.get(`customers/journey?customer_key=${key}`), 404, 'customer_not_found');
    await record(api, lead(key));
    const { body } = await api.get(`customers/journey?customer_key=${key}`);
    const { identifiers } = body.meta.person;
    assert.deepEqual(identifiers, [{ kind: 'external_customer_id', value: key }]);
  });

  check(
    'inge-020 inge-021 inge-022 inge-025 inge-026',
    'marks one first payment per subject of a customer',
    async (context) => {
      const { api, unique, clock } = context;
      const firsts = async (customer: string) => {
        const rows = await paymentsOf(api, customer, clock.day(40), clock.day(-1));
        return rows.map(({ is_first_payment }) => is_first_payment);
      };
      const at = (days: number) => clock.at(-days * 86_400_000);
      const family = unique('family');
      for (const [days, subject_ref] of [
        [30, 'child_1'],
        [20, 'child_2'],
        [10, 'child_1'],
      ] as const)
        await record(api, payment(family, { key: unique('o'), subject_ref, occurred_at: at(days) }));
      await eventually(async () => assert.deepEqual(await firsts(family), [true, true, false]));
      const single = unique('single');
      for (const days of [30, 10]) await record(api, payment(single, { key: unique('o'), occurred_at: at(days) }));
      await eventually(async () => assert.deepEqual(await firsts(single), [true, false]));
      const mixed = unique('mixed');
      await record(api, payment(mixed, { key: unique('o'), occurred_at: at(30) }));
      await record(api, payment(mixed, { key: unique('o'), subject_ref: 'child_3', occurred_at: at(10) }));
      await eventually(async () => assert.deepEqual(await firsts(mixed), [true, false]));
    },
  );

  check('inge-027 inge-028', 'adds and removes a subject when the payment is sent again', async (context) => {
    const { api, unique, clock } = context;
    const customer = unique('retag');
    const old = { key: unique('o'), occurred_at: clock.at(-30 * 86_400_000) };
    const newer = { key: unique('o'), subject_ref: 'child_2', occurred_at: clock.at(-10 * 86_400_000) };
    const isNewerFirst = async () => {
      const rows = await paymentsOf(api, customer, clock.day(40), clock.day(-1));
      return rows.at(-1)?.is_first_payment;
    };
    await record(api, payment(customer, old));
    await record(api, payment(customer, newer));
    await eventually(async () => assert.equal(await isNewerFirst(), false));
    await record(api, payment(customer, { ...old, subject_ref: 'child_1' }));
    await eventually(async () => assert.equal(await isNewerFirst(), true));
    await record(api, payment(customer, old));
    await eventually(async () => assert.equal(await isNewerFirst(), false));
  });

  check(
    'inge-029',
    'never marks a payment without a subject as the first one after a payment with a subject',
    async (context) => {
      const { api, unique, clock } = context;
      const customer = unique('untagged');
      await record(
        api,
        payment(customer, { key: unique('o'), subject_ref: 'child_1', occurred_at: clock.at(-3 * 86_400_000) }),
      );
      await record(api, payment(customer, { key: unique('o'), occurred_at: clock.at(-86_400_000) }));
      await eventually(async () => {
        const rows = await paymentsOf(api, customer, clock.day(10), clock.day(-1));
        assert.deepEqual(
          rows.map(({ is_first_payment }) => is_first_payment),
          [true, false],
        );
      });
    },
  );

  check(
    'inge-031 inge-032 inge-033 inge-034 inge-035',
    'returns 400 invalid_parameter for subjects that look like personal data',
    async ({ api, unique }) => {
      const customer = unique('personal');
      for (const subject_ref of [
        'a@b',
        '1234567',
        '12-34-56-7',
        '2020-01-31',
        'Ana Soto',
        'a'.repeat(32),
        'b'.repeat(40),
        '0'.repeat(64),
      ]) {
        const error = refusal(
          await api.post('events', payment(customer, { key: unique('o'), subject_ref })),
          400,
          'invalid_parameter',
        );
        assert.equal(error.field, 'properties.subject_ref');
      }
    },
  );

  check('inge-037', "returns a payment's subject on no route", async (context) => {
    const { api, unique, clock } = context;
    const customer = unique('hidden');
    const subject_ref = 'subject_zq9';
    const { outcome_event_id } = await record(api, payment(customer, { key: unique('o'), subject_ref }));
    const answers = [
      await api.get(`payments/${outcome_event_id}`),
      await api.get(`payments?from=${clock.day(1)}&to=${clock.day(-1)}&limit=100`),
      await api.get(`customers/journey?customer_key=${customer}`),
      await api.get(`conversions/${outcome_event_id}/journey`),
    ];
    for (const { text } of answers) assert.equal(text.includes(subject_ref), false);
  });

  check('', 'validates each event of a request separately', async ({ api, unique }) => {
    const customer = unique('batch');
    const events = [lead(customer), { event_name: 7 }, payment(customer, { key: unique('o') }), payment(customer, {})];
    const { results, summary } = dataOf(await api.post('events', { events }), 202);
    assert.deepEqual(
      results.map((one: Json) => one.status),
      ['recorded', 'rejected', 'recorded', 'rejected'],
    );
    assert.equal(summary.rejected, 2);
  });

  check('', 'refuses events further ahead than five minutes, and unknown ids', async ({ api, unique, clock }) => {
    refusal(
      await api.post('events', lead(unique('ahead'), { occurred_at: clock.at(600_000) })),
      422,
      'validation_error',
    );
    refusal(await api.get(`payments/${unknownId}`), 404, 'not_found');
  });
});
