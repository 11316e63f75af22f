import { startAttribution } from '@tributary/domain/attribution';
import {
  type BookedConversion,
  conversionsOf,
  definitions,
  type Household,
  type Outcome,
  openMarket,
  touchesOf,
} from '@tributary/market';
import { attribute, conversionIdOf } from '@tributary/rules';
import { buildApiKey, buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { fillFast } from '@tributary/testkit/market';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';

const { kit, api, clickhouse } = await openTestWithClickHouse();

interface Shown {
  readonly conversion_id: string;
  readonly customer_profile_id: string;
  readonly name: string | null;
  readonly conversion_time: string;
  readonly [field: string]: unknown;
}

async function openList(profileId: string, scopes: Parameters<typeof buildApiKey>[2] = {}) {
  const { headers } = await buildApiKey(kit.app, profileId, {
    scopes: ['customers:read', 'attribution:write', 'goals:write'],
    requestsPerMinute: 100_000,
    ...scopes,
  });
  const read = async (url: string) => {
    const response = await api.fastify.inject({ url, headers: { ...headers } });
    return { status: response.statusCode, body: response.json() };
  };
  const get = (query: Record<string, string>) => read(`/api/v1/customers?${new URLSearchParams(query)}`);
  const post = async (url: string, body: object) => {
    const response = await api.fastify.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
    if (response.statusCode >= 300) throw new Error(response.body);
    return response.json().data;
  };
  /** Follows the cursor to the end, as a caller would. */
  const all = async (query: Record<string, string>) => {
    const rows: Shown[] = [];
    const pages: number[] = [];
    let cursor: Record<string, string> = {};
    for (;;) {
      const { status, body } = await get({ ...query, ...cursor });
      expect(status, JSON.stringify(body)).toBe(200);
      rows.push(...body.data);
      pages.push(body.data.length);
      if (!body.pagination.has_next) return { rows, pages };
      const [cursor_time, cursor_id] = body.pagination.cursor.split('|');
      cursor = { cursor_time, cursor_id };
    }
  };
  return { read, get, post, all };
}

const june = { date_from: '2026-06-01', date_to: '2026-06-30' };

async function openShop(traits: Parameters<typeof buildProfile>[1] = {}) {
  const { id: profileId, workspaceId } = await buildProfile(kit.app, traits);
  const ledger = kit.app.forProfile(profileId);
  const list = await openList(profileId);
  return {
    ...list,
    profileId,
    workspaceId,
    event: (event: object) =>
      list.post('/api/v1/events', { event_name: 'payment_received', idempotency_key: uuid(), ...event }),
    run: (statement: ReturnType<typeof sql>) => ledger.transaction((tx) => statement.execute(tx)),
    touch: (visitor_id: string, occurred_at: string, more: object = {}) =>
      clickhouse.insertLines(
        'touches',
        JSON.stringify({
          profile_id: profileId,
          visitor_id,
          occurred_at,
          touch_id: uuid(),
          session_id: uuid(),
          ...more,
        }),
      ),
  };
}

async function attributeAll(): Promise<void> {
  const worker = startAttribution({
    app: kit.app,
    system: kit.system,
    clickhouse,
    now: () => new Date(),
    onError: (error) => expect.unreachable(String(error)),
    idleMs: 20,
  });
  const dirty = async () => (await kit.system.unbound.query(sql`SELECT FROM dirty_conversions LIMIT 1`)).rows.length;
  try {
    await expect.poll(dirty, { timeout: 60_000 }).toBe(0);
  } finally {
    await worker.stop();
  }
}

describe('A row', () => {
  test('[cust-001] [cust-002] [cust-003] [cust-021] [cust-038] [cust-047] has all of its fields, and the page its dates', async () => {
    const shop = await openShop({ reportingCurrency: 'USD' });
    const [phone, laptop] = [uuid(), uuid()];
    await shop.touch(phone, '2026-06-01T10:00:00.000Z', {
      channel: 'paid_social',
      source: 'instagram',
      country: 'CL',
      device: 'mobile',
    });
    await shop.touch(laptop, '2026-06-02T10:00:00.000Z', {
      channel: 'email',
      source: 'newsletter',
      country: 'CL',
      device: 'desktop',
    });
    await shop.touch(laptop, '2026-06-03T10:00:00.000Z', {
      channel: 'paid_social',
      source: 'facebook',
      country: 'PE',
      device: 'desktop',
    });
    const eva = { external_id: 'eva', email: 'eva@example.test', first_name: 'Eva', last_name: 'Soto' };
    const first = await shop.event({
      occurred_at: '2026-05-20T08:00:00.000Z',
      properties: { value: '50.10', currency: 'USD' },
      user_traits: eva,
    });
    const paid = await shop.event({
      occurred_at: '2026-06-03T10:00:30.500Z',
      properties: { value: '99.90', currency: 'USD' },
      user_traits: eva,
    });
    await shop.event({ event_name: 'lead_created', occurred_at: '2026-06-01T11:00:00.000Z', user_traits: eva });
    const { rows } = (await shop.run(sql`SELECT id FROM customers`)) as { rows: { id: string }[] };
    const customerId = rows[0]?.id as string;
    for (const visitor of [phone, laptop])
      await shop.run(sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
        VALUES (${shop.profileId}, ${visitor}, ${customerId}, 'identify', now())`);
    await attributeAll();

    const { status, body } = await shop.get({ ...june, goal: 'payment_received' });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          conversion_id: conversionIdOf(paid.outcome_event_id),
          customer_profile_id: customerId,
          name: 'Eva Soto',
          email: 'eva@example.test',
          country: 'PE',
          device: 'desktop',
          channel: 'paid_social',
          source: 'facebook',
          revenue: 99.9,
          revenue_type: 'cash',
          conversion_time: '2026-06-03T10:00:30.500Z',
          time_to_complete_seconds: 2 * 86_400 + 30,
          touch_count: 3,
          touch_channels: ['paid_social', 'email'],
          conversion_count: 3,
          total_revenue: 150,
        },
      ],
      pagination: { has_next: false, cursor: `2026-06-03T10:00:30.500Z|${conversionIdOf(paid.outcome_event_id)}` },
      meta: { ...june, profile_id: shop.profileId },
    });
    // One row for each conversion: of one customer there may be several.
    const { body: more } = await shop.get({ date_from: '2026-05-01', date_to: '2026-06-30', goal: 'payment_received' });
    expect(more.data.map(({ conversion_id }: Shown) => conversion_id)).toEqual(
      [paid, first].map(({ outcome_event_id }) => conversionIdOf(outcome_event_id)),
    );
    expect(await logged(shop.workspaceId)).toEqual([1, 1]);
  });

  const logged = async (workspaceId: string) => {
    const { rows } = await kit.app.forWorkspace(workspaceId).transaction((tx) =>
      sql<{
        people: number;
      }>`SELECT people FROM pii_access_log WHERE operation = 'listCustomers' ORDER BY at, id`.execute(tx),
    );
    return rows.map(({ people }) => people);
  };

  test('[cust-005] [cust-006] of somebody unknown has the browser’s id, and neither name nor e-mail address', async () => {
    const shop = await openShop();
    const visitor = uuid();
    const { outcome_event_id } = await shop.event({
      occurred_at: '2026-06-10T10:00:00.000Z',
      properties: { value: '20', currency: 'USD' },
      user_traits: {},
    });
    await shop.run(sql`UPDATE outcomes SET visitor_id = ${visitor} WHERE id = ${outcome_event_id}`);
    await shop.touch(visitor, '2026-06-09T10:00:00.000Z', { channel: 'organic_search', source: 'google' });
    await attributeAll();
    const { body } = await shop.get({ ...june, goal: 'payment_received' });
    expect(body.data).toMatchObject([
      {
        customer_profile_id: visitor,
        name: null,
        email: null,
        channel: 'organic_search',
        source: 'google',
        country: 'ZZ',
        device: 'unknown',
        conversion_count: 1,
        total_revenue: 20,
      },
    ]);
  });

  test('[cust-009] [cust-014] [cust-015] that no touch precedes says so', async () => {
    const shop = await openShop();
    await shop.event({
      occurred_at: '2026-06-10T10:00:00.000Z',
      properties: { value: 5, currency: 'USD' },
      user_traits: { external_id: 'walk-in' },
    });
    const before = await shop.get({ ...june, goal: 'payment_received' });
    await attributeAll();
    const after = await shop.get({ ...june, goal: 'payment_received' });
    expect(after.body.data).toMatchObject([
      {
        channel: 'unknown',
        source: 'unknown',
        country: 'ZZ',
        device: 'unknown',
        touch_count: 0,
        touch_channels: [],
        time_to_complete_seconds: 0,
      },
    ]);
    // Not worked out yet is shown in the same way.
    expect(before.body.data).toEqual(after.body.data);
  });

  test('[cust-011] [cust-012] has the money of its own kind, and none that cannot be converted', async () => {
    const shop = await openShop({ reportingCurrency: 'USD' });
    const user_traits = { external_id: 'eva' };
    const at = (day: number) => ({ occurred_at: `2026-06-0${day}T10:00:00.000Z`, user_traits });
    await shop.event({ ...at(1), event_name: 'lead_created', properties: { value: '300', currency: 'USD' } });
    await shop.event({ ...at(2), event_name: 'order_placed', properties: { value: '80.5', currency: 'USD' } });
    await shop.event({ ...at(3), properties: { value: '80.5', currency: 'USD' } });
    await shop.event({ ...at(4), properties: { value: '1000', currency: 'XPF' } });
    const one = async (goal: string) =>
      (await shop.get({ ...june, goal })).body.data.map((row: Shown) => [
        row.revenue,
        row.revenue_type,
        row.total_revenue,
        row.conversion_count,
      ]);
    expect(await one('lead_created')).toEqual([[300, 'pipeline', 80.5, 4]]);
    expect(await one('order_placed')).toEqual([[80.5, 'gross', 80.5, 4]]);
    expect(await one('payment_received')).toEqual([
      [0, 'cash', 80.5, 4],
      [80.5, 'cash', 80.5, 4],
    ]);
  });
});

test('[cust-004] [conv-001] the id of a row, a customer’s or a browser’s, is one that its journey is read by', async () => {
  const shop = await openShop();
  const visitor = uuid();
  const pay = (user_traits: object) =>
    shop.event({ occurred_at: '2026-06-10T10:00:00.000Z', properties: { value: 1, currency: 'USD' }, user_traits });
  await pay({ external_id: 'eva' });
  const { outcome_event_id } = await pay({});
  await shop.run(sql`UPDATE outcomes SET visitor_id = ${visitor} WHERE id = ${outcome_event_id}`);
  const { rows } = await shop.all({ ...june, goal: 'payment_received' });
  expect(rows.map(({ customer_profile_id }) => customer_profile_id)).toContain(visitor);
  for (const { customer_profile_id, conversion_time } of rows) {
    const { status, body } = await shop.read(`/api/v1/customers/${customer_profile_id}/journey`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data).toMatchObject({
      total_count: 1,
      events: [{ event_type: 'payment_received', event_time: conversion_time }],
    });
  }
});

describe('The list', () => {
  test('[cust-043] holds conversions of the goal within the days of the profile, and nothing else', async () => {
    const shop = await openShop({ timeZone: 'America/Santiago' });
    const pay = async (occurred_at: string, more: object = {}) =>
      (
        await shop.event({
          occurred_at,
          properties: { value: 1, currency: 'USD' },
          user_traits: { external_id: 'eva' },
          ...more,
        })
      ).outcome_event_id;
    // In June it is four hours earlier there.
    await pay('2026-06-01T03:59:59.999Z');
    const inside = [await pay('2026-06-01T04:00:00.000Z'), await pay('2026-06-03T03:59:59.999Z')];
    await pay('2026-06-03T04:00:00.000Z');
    await pay('2026-06-02T12:00:00.000Z', { event_name: 'lead_created' });
    await pay('2026-06-02T12:00:00.000Z', { event_name: 'nobody_knows' });
    // The type answers for names that nobody listed, and not for those that somebody did.
    const byType = await pay('2026-06-02T13:00:00.000Z', {
      event_name: 'Card terminal 7',
      event_type: 'payment_received',
    });
    await pay('2026-06-02T14:00:00.000Z', { event_name: 'order_placed', event_type: 'payment_received' });
    const { rows } = await shop.all({ date_from: '2026-06-01', date_to: '2026-06-02', goal: 'payment_received' });
    expect(rows.map(({ conversion_id }) => conversion_id)).toEqual([inside[1], byType, inside[0]].map(conversionIdOf));
    expect((await shop.all({ ...june, goal: 'no_such_goal' })).rows).toEqual([]);
    const { body } = await shop.get({ date_from: '2025-01-01', date_to: '2025-01-02', goal: 'payment_received' });
    expect(body).toMatchObject({ data: [], pagination: { has_next: false, cursor: null } });
  });

  test('is of one profile', async () => {
    const [shop, other] = [await openShop(), await openShop()];
    await other.event({
      occurred_at: '2026-06-02T12:00:00.000Z',
      properties: { value: 1, currency: 'USD' },
      user_traits: { email: 'a@b.cl' },
    });
    expect((await shop.all({ ...june, goal: 'payment_received' })).rows).toEqual([]);
    expect((await shop.all({ ...june, goal: 'payment_received', search: 'a@b.cl' })).rows).toEqual([]);
  });

  test('[cust-045] [cust-046] [lim-001] [cust-019] [cust-020] [cust-048] comes in pages of 10, or up to 100, without gaps or repeats', async () => {
    const shop = await openShop();
    const ids = Array.from({ length: 230 }, () => uuid());
    await shop.event({
      occurred_at: '2020-01-01T00:00:00.000Z',
      properties: { value: 1, currency: 'USD' },
      user_traits: { external_id: 'eva' },
    });
    // Many of one moment: their ids alone tell them apart.
    await shop.run(sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, occurred_at, recorded_at, updated_at, rest)
      SELECT ${shop.profileId}, id, id::text, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
        '2026-06-10T00:00:00Z'::timestamptz + (place / 100) * interval '1 ms', now(), now(), '{}'
      FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS o (id, place)`);
    const wanted = { ...june, goal: 'payment_received' };
    const { body } = await shop.get(wanted);
    expect(body.data).toHaveLength(10);
    expect(body.pagination).toEqual({
      has_next: true,
      cursor: expect.stringMatching(/^2026-06-10T00:00:00\.\d{3}Z\|[0-9a-f-]{36}$/),
    });
    for (const limit of [10, 37, 100, 230 / 5]) {
      const { rows, pages } = await shop.all({ ...wanted, limit: String(limit) });
      expect(rows.map(({ conversion_id }) => conversion_id).toSorted()).toEqual(ids.map(conversionIdOf).toSorted());
      expect(rows.map(({ conversion_time }) => conversion_time)).toEqual(
        rows
          .map(({ conversion_time }) => conversion_time)
          .toSorted()
          .toReversed(),
      );
      expect(pages).toHaveLength(Math.ceil(230 / limit));
    }
    for (const limit of ['0', '101', 'x']) expect((await shop.get({ ...wanted, limit })).status).toBe(400);
  });

  test('[cust-039] [cust-040] [cust-041] [cust-042] needs its dates and its goal, and both halves of a cursor', async () => {
    const shop = await openShop();
    const whole = { ...june, goal: 'payment_received' };
    expect((await shop.get({ ...whole, search: 'eva', limit: '5' })).status).toBe(200);
    for (const name of ['date_from', 'date_to'] as const) {
      const { [name]: _, ...rest } = whole;
      expect(await shop.get(rest)).toMatchObject({ status: 400, body: { error: { code: 'invalid_date_range' } } });
    }
    expect(await shop.get(june)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter', field: 'goal' } },
    });
    for (const half of [{ cursor_time: '2026-06-10T00:00:00.000Z' }, { cursor_id: uuid() }])
      expect(await shop.get({ ...whole, ...half })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_parameter' } },
      });
    for (const cursor_time of ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
      expect((await shop.get({ ...whole, cursor_time, cursor_id: uuid() })).status).toBe(200);
    for (const year of ['0001', '9999'])
      expect((await shop.get({ date_from: `${year}-01-01`, date_to: `${year}-12-31`, goal: 'x' })).status).toBe(200);
  });

  test('[cust-049] answers 403 to a key without customers:read', async () => {
    const { id } = await buildProfile(kit.app);
    const { get } = await openList(id, { scopes: ['campaigns:read', 'attribution:write'] });
    expect((await get({ ...june, goal: 'payment_received' })).status).toBe(403);
  });
});

describe('A search', () => {
  test('[cust-044] finds by name and by e-mail address', async () => {
    const shop = await openShop();
    const pay = (user_traits: object) =>
      shop.event({ occurred_at: '2026-06-10T10:00:00.000Z', properties: { value: 1, currency: 'USD' }, user_traits });
    await pay({ email: 'ana.soto@example.cl', first_name: 'Ana María', last_name: 'Soto Vera' });
    await pay({ email: 'ana@shop.cl', first_name: 'Ana', last_name: 'Rojas' });
    await pay({ external_id: 'nobody' });
    const names = async (search: string) =>
      (await shop.all({ ...june, goal: 'payment_received', search })).rows.map(({ name }) => name).toSorted();
    expect(await names('ana')).toEqual(['Ana María Soto Vera', 'Ana Rojas']);
    expect(await names('ANÁ sotó')).toEqual(['Ana María Soto Vera']);
    expect(await names('vera ana')).toEqual(['Ana María Soto Vera']);
    expect(await names('ana@shop')).toEqual(['Ana Rojas']);
    expect(await names('ana.soto@example.cl')).toEqual(['Ana María Soto Vera']);
    expect(await names('zoe')).toEqual([]);
    // Nothing to look for finds nobody; nothing said finds everybody.
    expect(await names('***')).toEqual([]);
    expect(await names('  ')).toHaveLength(3);
  });

  test('for a name that thousands have finds the same, newest first, without gaps or repeats', async () => {
    const shop = await openShop();
    await shop.event({
      occurred_at: '2020-01-01T00:00:00.000Z',
      properties: { value: 1, currency: 'USD' },
      user_traits: { external_id: 'eva' },
    });
    // Every third of 7,500 is an Ana, and one in a hundred of those a Soto.
    await shop.run(sql`
      INSERT INTO customers (profile_id, id, first_name, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT ${shop.profileId}, gen_random_uuid(), CASE WHEN n % 300 = 0 THEN 'Ana Soto' WHEN n % 3 = 0 THEN 'Ana' ELSE 'Eva' END, '{}',
        CASE WHEN n % 300 = 0 THEN '{ana,soto}'::text[] WHEN n % 3 = 0 THEN '{ana}' ELSE '{eva,soto}' END, now(), now(), now()
      FROM generate_series(1, 7500) AS n`);
    await shop.run(sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at, recorded_at, updated_at, rest)
      SELECT ${shop.profileId}, gen_random_uuid(), id::text, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
        id, '2026-06-01T00:00:00Z'::timestamptz + (row_number() OVER (ORDER BY id)) * interval '7 s', now(), now(), '{}' FROM customers WHERE 'ana' = ANY (terms) OR 'eva' = ANY (terms)`);
    const found = async (search: string) => shop.all({ ...june, goal: 'payment_received', search, limit: '100' });
    const anas = await found('ana');
    expect(anas.rows).toHaveLength(2_500);
    expect(new Set(anas.rows.map(({ conversion_id }) => conversion_id)).size).toBe(2_500);
    expect(anas.rows.every(({ name }) => name?.startsWith('Ana'))).toBe(true);
    expect(anas.pages.slice(0, -1).every((size) => size === 100)).toBe(true);
    const times = anas.rows.map(({ conversion_time }) => conversion_time);
    expect(times).toEqual(times.toSorted().toReversed());
    // Both words are common, and few have both.
    expect((await found('ana soto')).rows).toHaveLength(25);
  });

  test('for somebody with thousands of purchases, and of other things, finds them all', async () => {
    const shop = await openShop();
    await shop.event({
      occurred_at: '2020-01-01T00:00:00.000Z',
      properties: { value: 1, currency: 'USD' },
      user_traits: { external_id: 'walk-in', first_name: 'Walk-in' },
    });
    await shop.run(sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at, recorded_at, updated_at, rest)
      SELECT ${shop.profileId}, gen_random_uuid(), n::text, '', '', key, key, (SELECT id FROM customers),
        '2026-06-01T00:00:00Z'::timestamptz + n * interval '10 s', now(), now(), '{}'
      FROM generate_series(1, 3000) AS n CROSS JOIN LATERAL (SELECT CASE WHEN n % 1000 < 200 THEN 'payment_received' ELSE 'walked_by' END AS key) k`);
    const { rows } = await shop.all({ ...june, goal: 'payment_received', search: 'walk', limit: '100' });
    expect(new Set(rows.map(({ conversion_id }) => conversion_id)).size).toBe(600);
    expect(rows).toHaveLength(600);
    expect(rows[0]).toMatchObject({ name: 'Walk-in', conversion_count: 601 });
  });
});

test('[cust-007] [cust-008] [cust-010] [cust-013] [cust-016] [cust-017] [cust-018] a market’s list is what the market did, row for row', async () => {
  const market = openMarket({
    seed: 11,
    people: 400,
    days: 60,
    start: '2026-03-01',
    timeZone: 'America/Santiago',
    currencies: ['USD', 'CLP'],
  });
  const booked: { household: Household; conversion: BookedConversion }[] = [];
  // What no definition names is nothing; what does not count for attribution is a goal all the same.
  const done: Outcome[] = [];
  const isDefined = ({ eventName }: Outcome) => definitions.some(({ key }) => key === eventName);
  await fillFast(
    market,
    { app: kit.app, system: kit.system, clickhouse },
    {
      watch: (household) => {
        booked.push(...conversionsOf(market, household).map((conversion) => ({ household, conversion })));
        done.push(...household.people.flatMap((person) => person.outcomes.filter(isDefined)));
      },
    },
  );
  await attributeAll();
  const { all } = await openList(market.profileId);
  const lifetime = Map.groupBy(done, ({ customerId, visitorId, id }) => customerId ?? visitorId ?? id);
  const money = (minor: bigint) => Number(minor) / 100;
  for (const goal of ['payment_received', 'lead_created', 'order_placed']) {
    const [date_from, date_to] = ['2026-03-10', '2026-04-09'];
    const expected = booked
      .filter(
        ({ conversion }) =>
          conversion.conversionType === goal && conversion.day >= date_from && conversion.day <= date_to,
      )
      .sort((a, b) => b.conversion.at - a.conversion.at || (a.conversion.outcome.id < b.conversion.outcome.id ? 1 : -1))
      .map(({ household, conversion }) => {
        const { outcome, person, at } = conversion;
        const { touches, touchCount } = attribute(conversion, touchesOf(household, conversion));
        const last = touches.at(-1);
        const whose = outcome.customerId ?? outcome.visitorId ?? outcome.id;
        const theirs = lifetime.get(whose) ?? [];
        const cash = theirs.filter(({ eventName }) => eventName === 'payment_received');
        return {
          conversion_id: conversionIdOf(outcome.id),
          customer_profile_id: whose,
          email: outcome.customerId ? (person.customer?.email ?? null) : null,
          channel: last?.channel ?? 'unknown',
          source: last?.source ?? 'unknown',
          revenue: money(conversion.value),
          conversion_time: new Date(at).toISOString(),
          time_to_complete_seconds: touches[0] ? Math.floor((at - touches[0].at) / 1_000) : 0,
          touch_count: touchCount,
          touch_channels: [...new Set(touches.map(({ channel }) => channel))],
          conversion_count: theirs.length,
          total_revenue: money(cash.reduce((sum, one) => sum + (one.money?.reporting?.value ?? 0n), 0n)),
        };
      });
    const { rows } = await all({ date_from, date_to, goal, limit: '100' });
    expect(expected.length).toBeGreaterThan(10);
    expect(rows).toHaveLength(expected.length);
    expect(rows).toMatchObject(expected);
    expect(
      rows.every(
        ({ device, country }) =>
          ['desktop', 'mobile', 'tablet', 'unknown'].includes(String(device)) && /^[A-Z]{2}$/.test(String(country)),
      ),
    ).toBe(true);
    expect(rows.some(({ device }) => device !== 'unknown')).toBe(true);
  }
  const { rows: quotes } = await all({
    date_from: '2026-03-01',
    date_to: '2026-05-30',
    goal: 'quote_sent',
    limit: '100',
  });
  expect(quotes).toHaveLength(done.filter(({ eventName }) => eventName === 'quote_sent').length);
  expect(quotes.length).toBeGreaterThan(0);
  expect(new Set(quotes.map(({ channel }) => channel))).toEqual(new Set(['unknown']));
}, 120_000);
