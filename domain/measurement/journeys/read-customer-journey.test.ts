import { entityIdOf } from '@tributary/rules';
import { at, openTestWithClickHouse, scene } from '@tributary/testkit';
import { v4 as anyUuid, v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';

const world = await openTestWithClickHouse();
const { clickhouse } = world;

const shop = (traits = {}) => scene(world, traits);
const journeyOf = (id: string, query = '') => `/api/v1/customers/${id}/journey${query}`;

describe('returns 200', () => {
  describe('a visit and a payment', () => {
    type Event = Readonly<Record<string, unknown>>;
    let profile: Awaited<ReturnType<typeof shop>>;
    let customerId: string;
    let visit: Event;
    let payment: Event;
    /** The given fields of both events. */
    const both = (...fields: string[]) => [visit, payment].map((event) => fields.map((field) => event[field]));
    beforeAll(async () => {
      profile = await shop();
      ({ customerId } = await profile.send({
        properties: { value: '199.90', currency: 'USD', provider: 'payments_a' },
      }));
      const visitorId = anyUuid();
      await profile.link(visitorId, customerId);
      await profile.visit({ visitor_id: visitorId, occurred_at: at(1) });
      const campaign = { platform: 'search_ads', level: 'campaign', external_id: '101', name: 'Spring shoes' };
      await profile.spend({ ...campaign, date: '2026-03-01', spend: '1' });
      [visit, payment] = (await profile.ask(journeyOf(customerId))).body.data.events;
    });

    test('[jour-020] [jour-025] [cust-004] are returned for the id in the customer list', async () => {
      const days = 'date_from=2026-03-01&date_to=2026-03-31';
      const { body: list } = await profile.ask(`/api/v1/customers?goal=payment_received&${days}`);
      expect(list.data[0].customer_profile_id).toBe(customerId);
      const { status, body } = await profile.ask(journeyOf(list.data[0].customer_profile_id));
      expect(status).toBe(200);
      expect(body).toEqual({
        data: { events: [visit, payment], total_count: 2 },
        meta: { profile_id: profile.profileId },
      });
    });

    test('[jour-001] have the same seventeen fields', () => {
      const fields = [
        ...['event_type', 'event_name', 'event_time', 'url', 'path', 'channel', 'source', 'medium', 'campaign'],
        ...['value_amount', 'currency', 'device', 'browser', 'os', 'country', 'city', 'is_synthetic'],
      ];
      for (const event of [visit, payment]) expect(Object.keys(event).sort()).toEqual([...fields].sort());
    });

    test('[jour-002] [jour-003] [jour-004] have type, name and time', () => {
      expect(both('event_type', 'event_name', 'event_time')).toEqual([
        ['page_view', 'page_view', at(1)],
        ['payment_received', 'payment_received', at(20)],
      ]);
    });

    test('[jour-005] [jour-006] have the page where there was one', () => {
      expect(both('url', 'path')).toEqual([
        ['https://shop.example/shoes?size=42', '/shoes'],
        [null, null],
      ]);
    });

    test('[jour-007] [jour-009] [jour-010] have channel, source, medium and the campaign name', () => {
      expect(both('channel', 'source', 'medium', 'campaign')).toEqual([
        ['paid_search', 'google', 'cpc', 'Spring shoes'],
        [null, 'payments_a', null, null],
      ]);
    });

    test('[jour-008] have the traffic source, the payment provider or null as source', async () => {
      const person = { user_traits: { external_id: 'three-ways' } };
      const gateway = { external_id: 'tx-9', amount: '40', currency: 'USD', paid_at: at(22), ...person };
      await profile.post('/api/v1/payments/cardpay', gateway);
      const { customerId: id } = await profile.send({
        occurred_at: at(23),
        properties: { value: '5', currency: 'USD' },
        ...person,
      });
      const visitorId = anyUuid();
      await profile.link(visitorId, id);
      await profile.visit({ visitor_id: visitorId, occurred_at: at(1) });
      const { body } = await profile.ask(journeyOf(id));
      expect(body.data.events.map(({ source }: Event) => source)).toEqual(['google', 'cardpay', null]);
    });

    test('[jour-011] [jour-012] have amount and currency only for a payment', () => {
      expect(both('value_amount', 'currency')).toEqual([
        [null, null],
        [199.9, 'USD'],
      ]);
    });

    test('[jour-013] [jour-014] [jour-015] have device and location only for a visit', () => {
      expect(both('device', 'browser', 'os', 'country', 'city')).toEqual([
        ['mobile', 'Firefox', 'Android', 'CL', 'Santiago'],
        [null, null, null, null, null],
      ]);
    });
  });

  test('[jour-021] [jour-022] finds a customer by id, and an anonymous visitor by visitor id', async () => {
    const profile = await shop();
    const visitorId = anyUuid();
    await profile.visit({ visitor_id: visitorId, occurred_at: at(1) });
    const alone = await profile.ask(journeyOf(visitorId));
    expect(alone.body.data.total_count).toBe(1);
    const { customerId } = await profile.send({});
    await profile.link(visitorId, customerId);
    // The visitor now resolves to the customer, by either id.
    const byBoth = await Promise.all([customerId, visitorId].map((id) => profile.ask(journeyOf(id))));
    expect(byBoth.map(({ body }) => body.data.total_count)).toEqual([2, 2]);
  });

  test('[jour-026] [jour-018] sorts events of both stores by time and counts the whole journey', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({ occurred_at: at(2) });
    await profile.send({ occurred_at: at(5) });
    const visitors = [anyUuid(), anyUuid()];
    for (const visitorId of visitors) await profile.link(visitorId, customerId);
    for (const [index, day] of [4, 1, 3].entries())
      await profile.visit({ visitor_id: visitors[index % 2] as string, occurred_at: at(day) });
    const { body } = await profile.ask(journeyOf(customerId, '?limit=2'));
    expect(body.data.events.map((event: { event_time: string }) => event.event_time)).toEqual([at(1), at(2)]);
    expect(body.data.total_count).toBe(5);
    const { events } = await profile.pages(journeyOf(customerId), 2);
    expect(events.map(({ event_time }) => event_time)).toEqual([1, 2, 3, 4, 5].map(at));
  });

  test('events at the same time keep their order: pages of any size return each once', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({ occurred_at: at(3) });
    for (let count = 0; count < 3; count += 1) await profile.send({ occurred_at: at(3), event_name: `more ${count}` });
    const visitors = [anyUuid(), anyUuid()];
    for (const visitorId of visitors) {
      await profile.link(visitorId, customerId);
      for (let count = 0; count < 4; count += 1)
        await profile.visit({ visitor_id: visitorId, occurred_at: at(3), path: `/${visitorId}/${count}` });
    }
    await profile.touch({ visitor_id: visitors[0] as string, occurred_at: at(3), kind: 'ad_referral' });
    const whole = await profile.pages(journeyOf(customerId), 100);
    expect(whole.events).toHaveLength(13);
    for (const limit of [1, 3, 5])
      expect((await profile.pages(journeyOf(customerId), limit)).events).toEqual(whole.events);
  });

  test('[jour-023] [jour-024] [lim-002] returns 50 events by default and at most 100', async () => {
    const profile = await shop();
    const visitorId = anyUuid();
    const row = await profile.visit({ visitor_id: visitorId, occurred_at: at(0) });
    await clickhouse.insert(
      'visits',
      Array.from({ length: 119 }, (_, index) => ({ ...row, visit_id: uuid(), occurred_at: at(index + 1) })),
    );
    const sizes = async (query: string) => {
      const { body } = await profile.ask(journeyOf(visitorId, query));
      return [body.data.events.length, body.data.events[0]?.event_time, body.data.total_count];
    };
    expect(await sizes('')).toEqual([50, at(0), 120]);
    expect(await sizes('?offset=110')).toEqual([10, at(110), 120]);
    expect(await sizes('?limit=100&offset=1')).toEqual([100, at(1), 120]);
    expect(await sizes('?offset=120')).toEqual([0, undefined, 120]);
    for (const query of ['limit=101', 'limit=0', 'offset=-1', 'offset=1000001', 'limit=x'])
      expect((await profile.ask(journeyOf(visitorId, `?${query}`))).body.error.code).toBe('invalid_parameter');
  });

  test('[jour-027] [jour-062] an id of another profile and an unknown id have no events', async () => {
    const [profile, other] = [await shop(), await shop()];
    const { customerId } = await other.send({});
    const visitorId = anyUuid();
    await other.visit({ visitor_id: visitorId });
    const answers = await Promise.all([customerId, visitorId, anyUuid()].map((id) => profile.ask(journeyOf(id))));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({ data: { events: [], total_count: 0 }, meta: { profile_id: profile.profileId } });
    }
  });

  test('[jour-016] [jour-017] an off-site conversion without a visit is synthetic; one that names its ad has its channel and campaign', async () => {
    const profile = await shop();
    await profile.post('/api/v1/spend', {
      rows: [
        {
          platform: 'social_ads',
          level: 'ad',
          external_id: '120210987654321',
          campaign_external_id: 'campaign-9',
          campaign_name: 'Winter',
          date: '2026-03-01',
          currency: 'USD',
          spend: '1',
        },
      ],
    });
    const named = { event_name: 'lead_created', properties: {}, ad_id: '120210987654321' };
    const { customerId } = await profile.send({ ...named, occurred_at: at(5) });
    await profile.send({ occurred_at: at(9) });
    const visitorId = anyUuid();
    await profile.link(visitorId, customerId);
    const shown = async () => {
      const { events } = await profile.pages(journeyOf(customerId), 1);
      return events.map((event) => [event.event_type, event.is_synthetic, event.channel, event.campaign]);
    };
    const first = ['lead_created', true, 'paid_social', 'Winter'];
    const payment = ['payment_received', false, null, null];
    expect(await shown()).toEqual([first, ['payment_received', true, null, null]]);
    // On-site actions are not synthetic, even when only a server reports them.
    await profile.send({ occurred_at: at(9), idempotency_key: 'shop-9', action_source: 'website' });
    expect((await shown()).at(-1)).toEqual(payment);
    // A visit after the conversion or before its lookback did not bring it.
    await profile.visit({ visitor_id: visitorId, occurred_at: at(6), campaign_external_id: '' });
    await profile.visit({ visitor_id: visitorId, occurred_at: at(5 - 91), campaign_external_id: '' });
    const visit = ['page_view', false, 'paid_search', null];
    expect(await shown()).toEqual([visit, first, visit, payment, payment]);
    await profile.visit({ visitor_id: visitorId, occurred_at: at(5 - 90), campaign_external_id: '' });
    expect(await shown()).toEqual([
      visit,
      visit,
      ['lead_created', false, 'paid_social', 'Winter'],
      visit,
      payment,
      payment,
    ]);
  });

  test('later pages of a session and conversions on it show the session’s origin', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({ occurred_at: at(9) });
    const visitor_id = anyUuid();
    await profile.link(visitor_id, customerId);
    const session_id = anyUuid();
    const internal = { channel: 'direct', source: 'direct', medium: '', platform: '', campaign_external_id: '' };
    const common = { visitor_id, session_id, ad_set_external_id: '', ad_external_id: '' };
    const landing = await profile.visit({ ...common, occurred_at: at(6), channel: 'paid_social', source: 'facebook' });
    await profile.touch({ visitor_id, session_id, occurred_at: at(6), touch_id: landing.visit_id });
    await profile.visit({ ...common, ...internal, occurred_at: at(6.1) });
    await profile.visit({ ...common, ...internal, occurred_at: at(6.2), event_type: 'track', event_name: 'lead' });
    // This visit has no known origin.
    await profile.visit({ ...common, ...internal, occurred_at: at(7), session_id: anyUuid() });
    const { body } = await profile.ask(journeyOf(customerId));
    const shown = body.data.events.map((event: Record<string, unknown>) => [event.channel, event.source]);
    const ad = ['paid_social', 'facebook'];
    expect(shown).toEqual([ad, ad, ad, ['direct', 'direct'], [null, null]]);
  });

  test('a touch without a stored visit is an event of its own; a touch with a visit is shown as that visit', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({ occurred_at: at(9) });
    const visitorId = anyUuid();
    await profile.link(visitorId, customerId);
    const ad_id = entityIdOf(profile.profileId, 'social_ads', 'ad', 'ad-9');
    await profile.touch({ visitor_id: visitorId, occurred_at: at(7), kind: 'ad_referral', ad_id });
    const { visit_id } = await profile.visit({ visitor_id: visitorId, occurred_at: at(6) });
    await profile.touch({ visitor_id: visitorId, occurred_at: at(6), touch_id: visit_id, kind: 'visit' });
    await profile.touch({ visitor_id: visitorId, occurred_at: at(2), kind: 'visit', channel: 'email' });
    const { body } = await profile.ask(journeyOf(customerId));
    const shown = body.data.events.map((event: Record<string, unknown>) => [event.event_type, event.channel]);
    expect(body.data.total_count).toBe(4);
    expect(shown).toEqual([
      ['visit', 'email'],
      ['page_view', 'paid_search'],
      ['ad_referral', 'paid_social'],
      ['payment_received', null],
    ]);
  });

  test('a visit recorded as an outcome is one event; bot visits are left out', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({ occurred_at: at(9) });
    const visitorId = anyUuid();
    await profile.link(visitorId, customerId);
    const { visit_id } = await profile.visit({
      visitor_id: visitorId,
      occurred_at: at(3),
      event_type: 'track',
      event_name: 'Lead Created',
    });
    await profile.visit({ visitor_id: visitorId, occurred_at: at(4), is_bot: true });
    await profile.ledger.transaction(async (tx) => {
      const like = await tx.selectFrom('outcomes').selectAll().executeTakeFirstOrThrow();
      await tx
        .insertInto('outcomes')
        .values({
          ...like,
          id: uuid(),
          idempotency_key: `visit:${visit_id}`,
          visitor_id: visitorId,
          event_type: 'lead_created',
          event_key: 'lead created',
          occurred_at: at(3),
          rest: JSON.stringify({}),
        })
        .execute();
    });
    // A caller's key that only looks like an internal one is an ordinary outcome.
    await profile.send({ idempotency_key: 'visit:mine', occurred_at: at(5) });
    const { events, total } = await profile.pages(journeyOf(customerId), 2);
    expect(total).toBe(3);
    expect(events.map(({ event_type, event_name, path }) => [event_type, event_name, path])).toEqual([
      ['lead_created', 'Lead Created', '/shoes'],
      ['payment_received', 'payment_received', null],
      ['payment_received', 'payment_received', null],
    ]);
  });

  test('a merged customer is found by either id, with the events of both', async () => {
    const profile = await shop();
    const phone = { user_traits: { phone: '+56912345678' } };
    const first = await profile.send(phone);
    const second = await profile.send({ user_traits: { external_id: 'eva-2' } });
    await profile.send({ user_traits: { external_id: 'eva-2', phone: '+56912345678' }, occurred_at: at(30) });
    const ids = [first.customerId, second.customerId];
    const counts = await Promise.all(ids.map(async (id) => (await profile.ask(journeyOf(id))).body.data.total_count));
    expect(counts).toEqual([3, 3]);
  });

  test('unrecognised values are null', async () => {
    const profile = await shop();
    const visitorId = anyUuid();
    await profile.visit({
      visitor_id: visitorId,
      channel: 'unknown',
      source: 'unknown',
      medium: '',
      device: 'unknown',
      country: 'ZZ',
      city: '',
      url: '',
      path: '',
      browser: '',
      os: '',
      event_type: '',
      event_name: '',
    });
    const { body } = await profile.ask(journeyOf(visitorId));
    const { event_type, event_name, event_time, is_synthetic, ...rest } = body.data.events[0];
    expect([event_type, event_name, is_synthetic]).toEqual(['visit', 'visit', false]);
    expect(new Set(Object.values(rest))).toEqual(new Set([null]));
    expect(event_time).toBe('2026-03-01T12:00:00.007Z');
  });

  test('logs each read in the data access log', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    await profile.ask(journeyOf(customerId));
    await profile.ask(journeyOf(anyUuid()));
    expect(await profile.accesses()).toEqual([
      { operation: 'readCustomerJourney', people: 0, result: 'served' },
      { operation: 'readCustomerJourney', people: 1, result: 'served' },
    ]);
  });
});

test('returns 403 without customers:read and logs the attempt', async () => {
  const profile = await shop();
  const { status, body } = await profile.ask(journeyOf(anyUuid()), profile.projected);
  expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
  expect(await profile.accesses()).toEqual([{ operation: 'readCustomerJourney', people: 0, result: 'refused' }]);
});

test('returns 400 for an invalid id', async () => {
  const profile = await shop();
  expect((await profile.ask(journeyOf('eva'))).body.error.code).toBe('invalid_parameter');
});
