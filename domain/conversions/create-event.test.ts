import { buildApiKey, buildProfile, openApi, openTestkit, type TestApi, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { settleCustomers } from './index.ts';

let kit: Testkit;
let api: TestApi;
let profileId: string;
let headers: Record<string, string>;
beforeAll(async () => {
  kit = await openTestkit();
  api = await openApi(kit);
});
afterAll(async () => {
  await api.close();
  await kit.close();
});
beforeEach(async () => {
  profileId = (await buildProfile(kit.app, { reportingCurrency: 'CLP' })).id;
  headers = {
    ...(
      await buildApiKey(kit.app, profileId, {
        scopes: ['attribution:write', 'customers:read', 'goals:write', 'campaigns:read'],
      })
    ).headers,
  };
});

const post = async (body: unknown, more: Record<string, string> = {}) => {
  const response = await api.fastify.inject({
    method: 'POST',
    url: '/api/v1/events',
    headers: { ...headers, 'content-type': 'application/json', ...more },
    payload: JSON.stringify(body),
  });
  return { status: response.statusCode, body: response.json() };
};
const outcomes = () =>
  kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      tx.selectFrom('outcomes').selectAll().orderBy('occurred_at').orderBy('idempotency_key').execute(),
    );
const at = (day: number) => new Date(Date.UTC(2026, 4, day)).toISOString();
let keys = 0;
const payment = (
  more: {
    key?: string;
    day?: number;
    customer?: string;
    value?: number | string;
    subject?: string;
    currency?: string;
  } = {},
) => {
  keys += 1;
  return {
    event_name: 'payment_received',
    idempotency_key: more.key ?? `pay-${keys}`,
    occurred_at: at(more.day ?? 1),
    properties: {
      value: more.value ?? 1_000,
      currency: more.currency ?? 'CLP',
      ...(more.subject && { subject_ref: more.subject }),
    },
    user_traits: { external_id: more.customer ?? 'c-1' },
  };
};
const flags = async () =>
  Object.fromEntries((await outcomes()).map((row) => [row.idempotency_key, row.is_first_payment]));

describe('202', () => {
  test('[inge-001] [inge-002] [inge-004] [inge-010] [inge-018] [inge-019] an outcome is recorded without a browser or a connection, and a new external_id makes its customer', async () => {
    const answer = await post({
      event_name: 'Signed the contract',
      idempotency_key: 'deal-1',
      properties: { value: '1250000.50', currency: 'CLP', room: '12' },
      user_traits: { external_id: 'erp-77', email: 'Ana@Example.com', first_name: 'Ana' },
      action_source: 'physical_store',
      click_ids: { ctwa_clid: 'abc' },
    });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      data: { outcome_event_id: expect.any(String), status: 'recorded', customer_key: 'erp-77' },
      meta: { profile_id: profileId },
    });
    const [row] = await outcomes();
    expect(row).toMatchObject({
      id: answer.body.data.outcome_event_id,
      amount: '1250000.5',
      currency: 'CLP',
      event_type: 'Signed the contract',
    });
    expect(row?.rest).toEqual({
      properties: { room: '12' },
      action_source: 'physical_store',
      click_ids: { ctwa_clid: 'abc' },
    });
    const search = await api.fastify.inject({ url: '/api/v1/customers/search?q=ana', headers });
    expect(search.json().data).toMatchObject([
      { primary_email: 'ana@example.com', customer_profile_id: row?.customer_id },
    ]);
  });

  test('[inge-009] the same key again is the same outcome, not a second one', async () => {
    const body = payment();
    const first = await post(body);
    const second = await post(body);
    expect(second.body.data).toEqual({ ...first.body.data, status: 'duplicate' });
    expect(await outcomes()).toHaveLength(1);
  });

  test('the same key with another body updates the outcome', async () => {
    const first = await post(payment({ key: 'k', value: 100 }));
    const second = await post(payment({ key: 'k', value: 90 }));
    expect(second.body.data).toEqual({ ...first.body.data, status: 'updated' });
    expect((await outcomes()).map((row) => row.amount)).toEqual(['90']);
  });

  test('[inge-008] without money and key each is an outcome of its own', async () => {
    const body = { event_name: 'lead_created', user_traits: { phone: '+56 9 6123 4567' } };
    await post(body);
    await post(body);
    expect(await outcomes()).toHaveLength(2);
  });

  test('[inge-011] the traits of one message name one customer', async () => {
    await post({ event_name: 'lead_created', user_traits: { phone: '+56961234567' } });
    await post(payment({ customer: 'c-9' }));
    await post({ event_name: 'lead_created', user_traits: { external_id: 'c-9', phone: '+56961234567' } });
    const customers = new Set((await outcomes()).map((row) => row.customer_id));
    expect(customers.size).toBe(1);
  });

  test('a trait that cannot be read is left out with a warning', async () => {
    const { body } = await post({ event_name: 'lead_created', user_traits: { email: 'nonsense', external_id: 'c-1' } });
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
  ])('[inge-012] action_source %s is kept', async (action_source) => {
    await post({ event_name: 'x', action_source });
    expect((await outcomes())[0]?.rest).toMatchObject({ action_source });
  });

  test('[inge-003] the first outcome fulfils the readiness step', async () => {
    const step = async () => {
      const { data } = (await api.fastify.inject({ url: '/api/v1/profile', headers })).json();
      return data.readiness.find((one: { step: string }) => one.step === 'crm_or_outcome_source_connected').is_done;
    };
    expect(await step()).toBe(false);
    await post({ event_name: 'lead_created' });
    expect(await step()).toBe(true);
  });

  test('what is recorded is dirty for attribution and announced once', async () => {
    await post(payment({ key: 'k' }));
    await post(payment({ key: 'k' }));
    const ledger = kit.app.forProfile(profileId);
    expect(await ledger.transaction((tx) => tx.selectFrom('dirty_conversions').select('cause').execute())).toEqual([
      { cause: 'outcome_recorded' },
    ]);
    expect(await ledger.transaction((tx) => tx.selectFrom('outbox').select('type').execute())).toEqual([
      { type: 'outcome.recorded' },
    ]);
  });
});

describe('many at once', () => {
  test('each event has a result of its own, in order, and a bad one costs the others nothing', async () => {
    const { status, body } = await post({
      events: [
        payment({ key: 'a' }),
        { event_name: '' },
        payment({ key: 'a' }),
        payment({ key: 'b', customer: 'c-2' }),
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
    expect(await outcomes()).toHaveLength(2);
  });

  test('a character that cannot be kept costs only its own event', async () => {
    const { body } = await post({ events: [{ event_name: 'a\u0000b' }, { event_name: 'fine' }] });
    expect(body.data.results.map((result: { status: string }) => result.status)).toEqual(['rejected', 'recorded']);
    expect((await post({ event_name: 'a\u0000b' })).body.error.code).toBe('invalid_request');
  });

  test('more than 1,000 are 422', async () => {
    const { body } = await post({ events: Array.from({ length: 1_001 }, () => ({ event_name: 'x' })) });
    expect(body.error).toMatchObject({ code: 'validation_error', field: 'events' });
  });

  test('the same key from many clients at once is one outcome', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(payment({ key: 'race' }))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(answers.filter(({ body }) => body.data.status === 'recorded')).toHaveLength(1);
    expect(await outcomes()).toHaveLength(1);
  });
});

describe('422', () => {
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
  ])('%s names its field', async (_, body, field) => {
    const answer = await post(body);
    expect(answer.body.error).toMatchObject({ code: 'validation_error', status: 422, field });
    expect(await outcomes()).toHaveLength(0);
  });

  test('more than five minutes ahead is refused, five are not', async () => {
    const ahead = (ms: number) => new Date(kit.clock.now().getTime() + ms).toISOString();
    expect((await post({ event_name: 'x', occurred_at: ahead(300_001) })).body.error).toMatchObject({
      field: 'occurred_at',
    });
    expect((await post({ event_name: 'x', occurred_at: ahead(300_000) })).status).toBe(202);
  });
});

describe('subject_ref', () => {
  test.each([
    ['[inge-023]', '8a7f6c1e-1111-4222-8333-944455556666'],
    ['[inge-024] [lim-018]', 'subject_A-1'],
  ])('%s %s is accepted', async (_, subject) => {
    expect((await post(payment({ subject }))).status).toBe(202);
  });

  test.each([
    ['[inge-031]', 'ana@example.com'],
    ['[inge-032]', '12-34-567'],
    ['[inge-033]', '1990-05-17'],
    ['[inge-034]', 'maria_12'],
    ['[inge-035]', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['[lim-018]', 'x'.repeat(33)],
  ])('%s %s is 400 invalid_parameter', async (_, subject) => {
    const { body } = await post(payment({ subject }));
    expect(body.error).toMatchObject({ code: 'invalid_parameter', status: 400, field: 'properties.subject_ref' });
  });

  test('[inge-020] [inge-021] each subject of a customer has a first payment of its own', async () => {
    await post(payment({ key: 'a1', day: 1, subject: 'A' }));
    await post(payment({ key: 'b1', day: 10, subject: 'B' }));
    await post(payment({ key: 'a2', day: 20, subject: 'A' }));
    expect(await flags()).toEqual({ a1: true, b1: true, a2: false });
  });

  test('[inge-022] without it one purchase of a customer is the first', async () => {
    await post(payment({ key: 'p1', day: 1 }));
    await post(payment({ key: 'p2', day: 8 }));
    await post(payment({ key: 'p3', day: 9 }));
    expect(await flags()).toEqual({ p1: true, p2: true, p3: false });
  });

  test('[inge-026] [inge-027] [inge-028] an untagged payment makes a subject returning; tagged later, and untagged again, the flags follow', async () => {
    await post(payment({ key: 'old', day: 1 }));
    await post(payment({ key: 'new', day: 20, subject: 'B' }));
    expect(await flags()).toEqual({ old: true, new: false });
    await post(payment({ key: 'old', day: 1, subject: 'A' }));
    expect(await flags()).toEqual({ old: true, new: true });
    await post(payment({ key: 'old', day: 1 }));
    expect(await flags()).toEqual({ old: true, new: false });
    expect((await outcomes()).find((row) => row.idempotency_key === 'old')?.subject_ref).toBeNull();
  });

  test('[inge-037] no answer returns it', async () => {
    const { body } = await post(payment({ subject: 'secret-subject' }));
    expect(JSON.stringify(body)).not.toContain('secret-subject');
  });

  test('first payments derived after any order of arrival are those of a fresh load', async () => {
    const all = [
      payment({ key: 'a', day: 1, subject: 'A' }),
      payment({ key: 'b', day: 5 }),
      payment({ key: 'c', day: 30, subject: 'C' }),
      payment({ key: 'd', day: 3, subject: 'A' }),
    ];
    for (const one of [all[2], all[0], all[3], all[1]]) await post(one);
    const arrived = await flags();
    profileId = (await buildProfile(kit.app, { reportingCurrency: 'CLP' })).id;
    headers = { ...(await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] })).headers };
    await post({ events: all });
    expect(await flags()).toEqual(arrived);
  });
});

describe('meaning', () => {
  const goal = async (body: object) => {
    const response = await api.fastify.inject({
      method: 'POST',
      url: '/api/v1/goals/definitions',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
    return { status: response.statusCode, body: response.json() };
  };

  test('[inge-005] [inge-006] free text means what a definition says; one that counts as cash makes payments of it', async () => {
    await post({ ...payment({ key: 'x' }), event_name: 'Caja: Abono' });
    expect(await flags()).toEqual({ x: null });
    expect((await goal({ name: 'Abono', event_names: ['caja: abono'], counts_as_cash: true })).status).toBe(201);
    await post({ ...payment({ key: 'y', day: 2 }), event_name: 'Caja: Abono' });
    expect(await flags()).toEqual({ x: true, y: true });
  });

  test('[ver-010] [ver-011] [ver-012] [ver-013] [ver-014] a definition is created with its key, window and default, and updated by the same key', async () => {
    const body = {
      name: 'Visita',
      conversion_key: 'visit_done',
      lookback_window_days: 30,
      is_default: true,
      event_names: ['visit done'],
    };
    const created = await goal(body);
    expect([created.status, created.body.data]).toEqual([
      201,
      expect.objectContaining({ conversion_key: 'visit_done', lookback_window_days: 30, is_default: true }),
    ]);
    const updated = await goal({ ...body, lookback_window_days: 60 });
    expect([updated.status, updated.body.data]).toEqual([
      200,
      expect.objectContaining({ id: created.body.data.id, lookback_window_days: 60 }),
    ]);
    const list = (await api.fastify.inject({ url: '/api/v1/goals/definitions', headers })).json().data as {
      conversion_key: string;
      is_default: boolean;
    }[];
    expect(list.filter(({ is_default }) => is_default).map(({ conversion_key }) => conversion_key)).toEqual([
      'visit_done',
    ]);
    expect(list.map(({ conversion_key }) => conversion_key)).toEqual(
      expect.arrayContaining(['lead_created', 'payment_received', 'order_placed']),
    );
  });

  test('the same definition from many at once is one', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => goal({ name: 'At once' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
  });

  test('an event name belongs to one definition: a second is 409', async () => {
    const answer = await goal({ name: 'Mine', event_names: ['Payment_Received'] });
    expect(answer.body.error).toMatchObject({ code: 'invalid_state', status: 409 });
  });

  test('[ver-006] [ver-007] [ver-008] [ver-009] the old route still works until its sunset, and says what comes after it', async () => {
    const call = () =>
      api.fastify.inject({
        method: 'POST',
        url: '/api/v1/goals',
        headers: { ...headers, 'content-type': 'application/json' },
        payload: '{"name": "Old goal"}',
      });
    kit.clock.set('2026-11-14T00:00:00Z');
    const response = await call();
    expect(response.statusCode).toBe(201);
    expect(response.headers).toMatchObject({
      deprecation: '@1788566400',
      sunset: 'Fri, 04 Dec 2026 00:00:00 GMT',
      link: '<https://tributary.test/api/v1/goals/definitions>; rel="successor-version"',
    });
    kit.clock.set('2026-12-04T00:00:00Z');
    expect((await call()).statusCode).toBe(404);
    kit.clock.set('2026-06-15T12:00:00Z');
  });
});

describe('money', () => {
  test('another currency is converted once, at the rate of its day, and the original is kept', async () => {
    const { host, pathname } = new URL(kit.database.ownerUrl);
    const admin = new pg.Client({ connectionString: `postgres://postgres:local-only@${host}${pathname}` });
    await admin.connect();
    await admin.query(
      "INSERT INTO exchange_rates VALUES ('CLP', '2026-05-01', 950, 'test'), ('USD', '2026-01-01', 1, 'test'), ('EUR', '2026-05-02', 0.9, 'test') ON CONFLICT DO NOTHING",
    );
    await admin.end();
    await post(payment({ key: 'usd', day: 4, value: '10.005', currency: 'USD' }));
    await post(payment({ key: 'eur', day: 4, value: '9', currency: 'EUR' }));
    await post(payment({ key: 'gbp', day: 4, value: '1', currency: 'GBP' }));
    const rows = Object.fromEntries((await outcomes()).map((row) => [row.idempotency_key, row]));
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

test('a merge moves the outcomes, makes them dirty, and their first payments are derived again', async () => {
  await post(payment({ key: 'early', day: 1, customer: 'c-a' }));
  await post({
    ...payment({ key: 'late', day: 25, customer: 'c-b' }),
    user_traits: { external_id: 'c-b', email: 'b@example.com' },
  });
  expect(await flags()).toEqual({ early: true, late: true });
  await kit.app.forProfile(profileId).transaction((tx) => tx.deleteFrom('dirty_conversions').execute());
  await api.fastify.inject({
    method: 'POST',
    url: '/api/v1/customers',
    headers: { ...headers, 'content-type': 'application/json' },
    payload: JSON.stringify({ rows: [{ external_id: 'c-a', email: 'b@example.com' }] }),
  });
  expect(new Set((await outcomes()).map((row) => row.customer_id)).size).toBe(1);
  await settleCustomers(kit.app, kit.system, new AbortController().signal);
  expect(await flags()).toEqual({ early: true, late: false });
  const { rows } = await kit.app
    .forProfile(profileId)
    .transaction((tx) => sql<{ n: string }>`SELECT count(*) AS n FROM dirty_conversions`.execute(tx));
  expect(Number(rows[0]?.n)).toBeGreaterThanOrEqual(1);
});
