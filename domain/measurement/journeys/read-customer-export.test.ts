import { at, openTestWithClickHouse, scene } from '@tributary/testkit';
import { v4 as anyUuid } from 'uuid';
import { expect, test } from 'vitest';

const world = await openTestWithClickHouse();
const shop = () => scene(world);
const exportOf = (id: string, query = '') => `/api/v1/customers/${id}/export${query}`;

test('exports customers, identifiers, browsers, records and the summary of a person', async () => {
  const profile = await shop();
  const { customerId, outcomeId } = await profile.send({
    properties: { value: '10.00', currency: 'USD', coupon: 'ANA10' },
    user_traits: { email: 'eva@example.test', external_id: 'eva-1', first_name: 'Eva', last_name: 'Soto' },
    click_ids: { gclid: 'click-1' },
  });
  const visitorId = anyUuid();
  await profile.link(visitorId, customerId);
  const visit = await profile.visit({ visitor_id: visitorId, occurred_at: at(1) });
  await profile.touch({ visitor_id: visitorId, occurred_at: at(2), kind: 'ad_referral' });
  await profile.ask(`/api/v1/customers/${customerId}/journey-summary`, profile.full, 'POST');
  const { status, body } = await profile.ask(exportOf(customerId));
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    customers: [
      { customer_profile_id: customerId, merged_into: null, first_name: 'Eva', last_name: 'Soto', sources: ['events'] },
    ],
    identifiers: expect.arrayContaining([
      expect.objectContaining({ kind: 'email', value: 'eva@example.test', source: 'events' }),
      expect.objectContaining({ kind: 'external_customer_id', value: 'eva-1' }),
    ]),
    disputed_identifiers: [],
    browsers: [{ visitor_id: visitorId, source: 'identify' }],
    records: [
      {
        store: 'visit',
        visit_id: visit.visit_id,
        url: visit.url,
        city: 'Santiago',
        utm_term: 'shoes',
        referrer: visit.referrer,
      },
      { store: 'touch', kind: 'ad_referral', occurred_at: at(2) },
      {
        store: 'outcome',
        id: outcomeId,
        amount: '10',
        currency: 'USD',
        rest: { properties: { coupon: 'ANA10' }, click_ids: { gclid: 'click-1' } },
      },
    ],
    journey_summary: 'Somebody came and bought.',
    totals: { customers: 1, identifiers: 2, disputed_identifiers: 0, browsers: 1, records: 3 },
    has_next: false,
  });
  expect((await profile.accesses())[0]).toEqual({ operation: 'readCustomerExport', people: 1, result: 'served' });
});

test('pages return every list completely, without repeating a row', async () => {
  const profile = await shop();
  const { customerId } = await profile.send({ user_traits: { store_customer_id: 'a' } });
  for (const store_customer_id of ['b', 'c'])
    await profile.send({ user_traits: { email: 'one@example.test', store_customer_id } });
  // The event that merges them into one customer.
  await profile.send({ user_traits: { store_customer_id: 'a', email: 'one@example.test' } });
  const visitors = [anyUuid(), anyUuid(), anyUuid()];
  for (const visitorId of visitors) {
    await profile.link(visitorId, customerId);
    await profile.visit({ visitor_id: visitorId });
  }
  const seen = { customers: new Set(), identifiers: new Set(), browsers: new Set(), records: new Set() };
  let pages = 0;
  for (let offset = 0, next = true; next; offset += 2, pages += 1) {
    const { data } = (await profile.ask(exportOf(customerId, `?limit=2&offset=${offset}`))).body;
    for (const one of data.customers) seen.customers.add(one.customer_profile_id);
    for (const one of data.identifiers) seen.identifiers.add(`${one.kind} ${one.value}`);
    for (const one of data.browsers) seen.browsers.add(one.visitor_id);
    for (const one of data.records) seen.records.add(one.id ?? one.visit_id);
    next = data.has_next;
  }
  expect([seen.customers.size, seen.identifiers.size, seen.browsers.size, seen.records.size, pages]).toEqual([
    2, 4, 3, 7, 4,
  ]);
});

test('exports an anonymous visitor’s records', async () => {
  const profile = await shop();
  const visitorId = anyUuid();
  await profile.visit({ visitor_id: visitorId });
  const { body } = await profile.ask(exportOf(visitorId));
  expect(body.data).toMatchObject({ customers: [], totals: { records: 1 } });
});

test('returns 404 for a customer of another profile and an unknown id, and 403 without customers:read', async () => {
  const [profile, other] = [await shop(), await shop()];
  const { customerId } = await other.send({});
  for (const id of [customerId, anyUuid()]) {
    const { status, body } = await profile.ask(exportOf(id));
    expect([status, body.error.code]).toEqual([404, 'customer_not_found']);
  }
  expect((await other.ask(exportOf(customerId), other.projected)).body.error.code).toBe('insufficient_scope');
});
