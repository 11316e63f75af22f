import { type EventSender, openEventSender, openTest, paymentEvent } from '@tributary/testkit';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
let sender: EventSender;
beforeEach(async () => {
  sender = await openEventSender(kit, api);
});

describe('202', () => {
  const deal = {
    event_name: 'Signed the contract',
    idempotency_key: 'deal-1',
    properties: { value: '1250000', currency: 'CLP', room: '12' },
    user_traits: { external_id: 'erp-77', email: 'Ana@Example.com', first_name: 'Ana' },
    action_source: 'physical_store',
    click_ids: { ctwa_clid: 'abc' },
  };

  test('[inge-001] [inge-002] records an outcome without a browser or a connection', async () => {
    const answer = await sender.post({ ...deal, event_name: 'closed_won' });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      data: { outcome_event_id: expect.any(String), status: 'recorded', customer_key: 'erp-77' },
      meta: { profile_id: sender.profileId },
    });
    expect(await sender.outcomes()).toMatchObject([{ id: answer.body.data.outcome_event_id }]);
  });

  test('[inge-004] [inge-010] [inge-018] stores name, money, properties, action source and click ids', async () => {
    await sender.post(deal);
    expect(await sender.outcomes()).toMatchObject([
      {
        idempotency_key: 'deal-1',
        event_name: 'Signed the contract',
        event_type: 'Signed the contract',
        amount: '1250000',
        currency: 'CLP',
        rest: { properties: { room: '12' }, action_source: 'physical_store', click_ids: { ctwa_clid: 'abc' } },
      },
    ]);
    await sender.post({ ...deal, idempotency_key: 'deal-2', event_type: 'contract', event_name: 'By hand' });
    expect(await sender.outcomes()).toContainEqual(
      expect.objectContaining({ event_type: 'contract', event_name: 'By hand' }),
    );
  });

  test('[inge-019] a new external_id creates a customer and resolves to it afterwards', async () => {
    await sender.post(deal);
    const [row] = await sender.outcomes();
    const search = await sender.get('/api/v1/customers/search?q=ana');
    expect(search.data).toMatchObject([{ primary_email: 'ana@example.com', customer_profile_id: row?.customer_id }]);
    await sender.post({ event_name: 'lead_created', idempotency_key: 'l', user_traits: { external_id: 'erp-77' } });
    expect(new Set((await sender.outcomes()).map(({ customer_id }) => customer_id))).toEqual(
      new Set([row?.customer_id]),
    );
  });

  test.each([
    ['mother', 'son'],
    ['son', 'mother'],
  ])(
    '[inge-019] a new external_id creates a customer although another customer holds the phone: %s, then %s',
    async (...family) => {
      const phone = '+56944441118';
      for (const external_id of family) {
        const { body } = await sender.post({ ...paymentEvent(), user_traits: { external_id, phone } });
        expect(body.data.customer_key).toBe(external_id);
      }
      expect(new Set((await sender.outcomes()).map(({ customer_id }) => customer_id)).size).toBe(2);
      // The phone alone resolves to its first holder.
      const { body } = await sender.post({ event_name: 'lead_created', user_traits: { phone } });
      expect(body.data.customer_key).toBe(family[0]);
    },
  );

  test('[inge-009] a repeated key records no second outcome', async () => {
    const body = paymentEvent();
    const first = await sender.post(body);
    const second = await sender.post(body);
    expect(second.body.data).toEqual({ ...first.body.data, status: 'duplicate' });
    expect(await sender.outcomes()).toHaveLength(1);
  });

  test('the same key with another body updates the outcome', async () => {
    const first = await sender.post(paymentEvent({ key: 'k', value: 100 }));
    const second = await sender.post(paymentEvent({ key: 'k', value: 90 }));
    expect(second.body.data).toEqual({ ...first.body.data, status: 'updated' });
    expect((await sender.outcomes()).map((row) => row.amount)).toEqual(['90']);
  });

  test('[inge-008] each event without money and key is a separate outcome', async () => {
    const body = { event_name: 'lead_created', user_traits: { phone: '+56 9 6123 4567' } };
    await sender.post(body);
    await sender.post(body);
    expect(await sender.outcomes()).toHaveLength(2);
  });

  test('[inge-011] the traits of one message resolve to one customer', async () => {
    await sender.post({ event_name: 'lead_created', user_traits: { phone: '+56961234567' } });
    await sender.post(paymentEvent({ customer: 'c-9' }));
    await sender.post({ event_name: 'lead_created', user_traits: { external_id: 'c-9', phone: '+56961234567' } });
    const customers = new Set((await sender.outcomes()).map((row) => row.customer_id));
    expect(customers.size).toBe(1);
  });

  test('drops an unparseable trait with a warning', async () => {
    const { body } = await sender.post({
      event_name: 'lead_created',
      user_traits: { email: 'nonsense', external_id: 'c-1' },
    });
    expect(body.data.warnings).toEqual(['unparseable_email']);
  });

  test.each([
    'website',
    'business_messaging',
    'physical_store',
    'system_generated',
    'app',
    'phone_call',
    'chat',
    'email',
    'other',
  ])('[inge-012] stores action_source %s', async (action_source) => {
    await sender.post({ event_name: 'x', action_source });
    expect((await sender.outcomes())[0]?.rest).toMatchObject({ action_source });
  });

  test('[inge-003] the first outcome completes the readiness step', async () => {
    const step = async () => {
      const { data } = await sender.get('/api/v1/profile');
      return data.readiness.find((one: { step: string }) => one.step === 'crm_or_outcome_source_connected').is_done;
    };
    expect(await step()).toBe(false);
    await sender.post({ event_name: 'lead_created' });
    expect(await step()).toBe(true);
  });

  test('a recorded outcome is marked for attribution and not published', async () => {
    await sender.post(paymentEvent({ key: 'k' }));
    await sender.post(paymentEvent({ key: 'k' }));
    const ledger = kit.app.forProfile(sender.profileId);
    expect(await ledger.transaction((tx) => tx.selectFrom('dirty_conversions').select('causes').execute())).toEqual([
      { causes: ['outcome_recorded'] },
    ]);
    expect(await ledger.transaction((tx) => tx.selectFrom('outbox').select('type').execute())).toEqual([]);
    expect(await sender.outcomes()).toMatchObject([{ source: 'api', connection_id: null, external_id: null }]);
  });
});

test('stores the region of an event, and a changed region is an update', async () => {
  const body = paymentEvent({ key: 'r' });
  expect(await sender.post({ ...body, region: 'CL-13' })).toMatchObject({ status: 202 });
  expect(await sender.post({ ...body, region: 'cl-rm' })).toMatchObject({ body: { data: { status: 'updated' } } });
  expect(await sender.outcomes()).toMatchObject([{ region: 'CL-RM' }]);
  expect(await sender.post({ ...body, region: 'Santiago' })).toMatchObject({ status: 422 });
});

test('[inge-004] event_type is enough to name an event, and null counts as absent', async () => {
  const { status } = await sender.post({
    event_type: 'lead_created',
    event_name: null,
    user_traits: { external_id: 'c-1', email: null, phone: null },
    click_ids: null,
  });
  expect(status).toBe(202);
  expect(await sender.outcomes()).toMatchObject([{ event_name: 'lead_created', event_type: 'lead_created' }]);
});

describe('warnings', () => {
  const defaultDefinitions = [
    'closed_won',
    'payment_received',
    'order_placed',
    'quote_sent',
    'lead_created',
    'messaging_started',
    'appointment_booked',
  ].toSorted();

  test('[inge-006] an event without definition returns no_definition and the existing definitions', async () => {
    const { body } = await sender.post({ event_name: 'purchase', user_traits: { external_id: 'c-1' } });
    expect(body.data).toMatchObject({ status: 'recorded', warnings: ['no_definition'] });
    expect(body.data.definitions.toSorted()).toEqual(defaultDefinitions);
    // A definition that lists the event type is enough.
    const { body: typed } = await sender.post({
      event_name: 'Bought a hat',
      event_type: 'order_placed',
      user_traits: { external_id: 'c-1' },
    });
    expect(typed.data).not.toHaveProperty('warnings');
    expect(typed.data).not.toHaveProperty('definitions');
  });

  test('an event without customer data returns the warning nobody', async () => {
    expect((await sender.post({ event_name: 'lead_created' })).body.data.warnings).toEqual(['nobody']);
  });

  test('an amount finer than its currency returns amount_rounded and is stored as sent', async () => {
    const { body } = await sender.post(paymentEvent({ key: 'fine', value: '100.40', currency: 'CLP' }));
    expect(body.data.warnings).toEqual(['amount_rounded']);
    expect(await sender.outcomes()).toMatchObject([{ amount: '100.4', reporting_amount: '100' }]);
    const plain = await sender.post(paymentEvent({ key: 'plain', value: '100.00', currency: 'CLP' }));
    expect(plain.body.data).not.toHaveProperty('warnings');
  });

  test('a batch returns warnings per event and the definitions once', async () => {
    const { body } = await sender.post({
      events: [
        paymentEvent({ key: 'a' }),
        { event_name: 'purchase' },
        { event_name: 'lead_created', user_traits: { email: 'x', external_id: 'c-1' } },
      ],
    });
    const warnings = body.data.results.map((result: { warnings?: string[] }) => result.warnings);
    expect(warnings).toEqual([undefined, ['no_definition', 'nobody'], ['unparseable_email']]);
    expect(body.data.definitions.toSorted()).toEqual(defaultDefinitions);
  });
});

describe('batches', () => {
  test('returns one result per event in order, and an invalid event does not affect the others', async () => {
    const { status, body } = await sender.post({
      events: [
        paymentEvent({ key: 'a' }),
        { event_name: '' },
        paymentEvent({ key: 'a' }),
        paymentEvent({ key: 'b', customer: 'c-2' }),
        7,
      ],
    });
    expect(status).toBe(202);
    expect(body.data.results.map((result: { index: number; status: string }) => [result.index, result.status])).toEqual(
      [
        [0, 'recorded'],
        [1, 'rejected'],
        [2, 'duplicate'],
        [3, 'recorded'],
        [4, 'rejected'],
      ],
    );
    expect(body.data.summary).toEqual({ total: 5, recorded: 2, updated: 0, duplicate: 1, rejected: 2 });
    expect(await sender.outcomes()).toHaveLength(2);
  });

  test.each(['a\u0000b', 'a\ud800b'])('rejects only the event with the unstorable text %j', async (event_name) => {
    const { body } = await sender.post({ events: [{ event_name }, { event_name: 'fine' }] });
    expect(body.data.results.map((result: { status: string }) => result.status)).toEqual(['rejected', 'recorded']);
    expect((await sender.post({ event_name })).body.error.code).toBe('invalid_request');
  });

  test('returns 422 for more than 1,000 events', async () => {
    const { body } = await sender.post({ events: Array.from({ length: 1_001 }, () => ({ event_name: 'x' })) });
    expect(body.error).toMatchObject({ code: 'validation_error', field: 'events' });
  });

  test('concurrent requests with the same key record one outcome', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => sender.post(paymentEvent({ key: 'race' }))));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(responses.filter(({ body }) => body.data.status === 'recorded')).toHaveLength(1);
    expect(await sender.outcomes()).toHaveLength(1);
  });
});

describe('422', () => {
  test('describes the fault and its field', async () => {
    const messageFor = async (body: object) => (await sender.post(body)).body.error.message;
    expect(await messageFor({ event_name: 'x', user_traits: { external_id: 7 } })).toBe(
      'The field "user_traits.external_id" must be a text.',
    );
    expect(await messageFor({ user_traits: {} })).toBe(
      'The field "event_name" is required, or event_type in its place.',
    );
    const { body } = await sender.post({ events: [7, { event_name: 'x', action_source: 'pigeon' }] });
    expect(body.data.results.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringMatching(/^The event must be an object\.$/),
      expect.stringMatching(/^The field "action_source" must be one of website, /),
    ]);
  });

  test.each([
    [
      '[inge-007] money without a key',
      { event_name: 'x', properties: { value: 1, currency: 'CLP' } },
      'idempotency_key',
    ],
    ['no name', { properties: {} }, 'event_name'],
    [
      'a value without a currency',
      { event_name: 'x', idempotency_key: 'k', properties: { value: 1 } },
      'properties.currency',
    ],
    [
      'a currency that is none',
      { event_name: 'x', idempotency_key: 'k', properties: { value: 1, currency: 'XXY' } },
      'properties.currency',
    ],
    [
      'a negative value',
      { event_name: 'x', idempotency_key: 'k', properties: { value: -1, currency: 'CLP' } },
      'properties.value',
    ],
    ['an unknown action_source', { event_name: 'x', action_source: 'carrier_pigeon' }, 'action_source'],
  ])('names the field of %s', async (_, body, field) => {
    const answer = await sender.post(body);
    expect(answer.body.error).toMatchObject({ code: 'validation_error', status: 422, field });
    expect(await sender.outcomes()).toHaveLength(0);
  });

  test('refuses times more than five minutes ahead, accepts five minutes', async () => {
    const ahead = (ms: number) => new Date(kit.clock.now().getTime() + ms).toISOString();
    expect((await sender.post({ event_name: 'x', occurred_at: ahead(300_001) })).body.error).toMatchObject({
      field: 'occurred_at',
    });
    expect((await sender.post({ event_name: 'x', occurred_at: ahead(300_000) })).status).toBe(202);
  });
});

describe('money', () => {
  test('converts another currency once, at the rate of its day, and keeps the original', async () => {
    const { host, pathname, password } = new URL(kit.database.ownerUrl);
    const admin = new pg.Client({ connectionString: `postgres://postgres:${password}@${host}${pathname}` });
    await admin.connect();
    await admin.query(
      "INSERT INTO exchange_rates VALUES ('CLP', '2026-05-01', 950, 'test'), ('USD', '2026-01-01', 1, 'test'), ('EUR', '2026-05-02', 0.9, 'test') ON CONFLICT DO NOTHING",
    );
    await admin.end();
    await sender.post(paymentEvent({ key: 'usd', day: 4, value: '10.005', currency: 'USD' }));
    await sender.post(paymentEvent({ key: 'eur', day: 4, value: '9', currency: 'EUR' }));
    await sender.post(paymentEvent({ key: 'gbp', day: 4, value: '1', currency: 'GBP' }));
    const rows = Object.fromEntries((await sender.outcomes()).map((row) => [row.idempotency_key, row]));
    expect(rows.usd).toMatchObject({
      amount: '10.005',
      currency: 'USD',
      reporting_amount: '9505',
      reporting_currency: 'CLP',
    });
    expect(rows.eur).toMatchObject({ amount: '9', reporting_amount: '9500' });
    expect(rows.gbp).toMatchObject({ amount: '1', reporting_amount: null, rate: null });
  });
});
