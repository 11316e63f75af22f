import { conversionIdOf } from '@tributary/rules';
import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { june, type ListedConversion, openShop } from './customers.fixture.ts';

const world = await openTestWithClickHouse();

describe('a row of the customer list', () => {
  describe('of an identified customer', () => {
    let shop: Awaited<ReturnType<typeof openShop>>;
    let first: { outcome_event_id: string };
    let paid: { outcome_event_id: string };
    const payments = { ...june, goal: 'payment_received' };
    beforeAll(async () => {
      shop = await openShop(world, { reportingCurrency: 'USD' });
      const [phone, laptop] = [uuid(), uuid()];
      await shop.touch({
        visitor_id: phone,
        occurred_at: '2026-06-01T10:00:00.000Z',
        channel: 'paid_social',
        source: 'instagram',
        country: 'CL',
        device: 'mobile',
      });
      await shop.touch({
        visitor_id: laptop,
        occurred_at: '2026-06-02T10:00:00.000Z',
        channel: 'email',
        source: 'newsletter',
        country: 'CL',
        device: 'desktop',
      });
      await shop.touch({
        visitor_id: laptop,
        occurred_at: '2026-06-03T10:00:00.000Z',
        channel: 'paid_social',
        source: 'facebook',
        country: 'PE',
        device: 'desktop',
      });
      const eva = { external_id: 'eva', email: 'eva@example.test', first_name: 'Eva', last_name: 'Soto' };
      first = await shop.event({
        occurred_at: '2026-05-20T08:00:00.000Z',
        properties: { value: '50.10', currency: 'USD' },
        user_traits: eva,
      });
      paid = await shop.event({
        occurred_at: '2026-06-03T10:00:30.500Z',
        properties: { value: '99.90', currency: 'USD' },
        user_traits: eva,
      });
      await shop.event({ event_name: 'lead_created', occurred_at: '2026-06-01T11:00:00.000Z', user_traits: eva });
      for (const visitor of [phone, laptop]) await shop.link(visitor, 'eva@example.test');
      await shop.attribute();
    });

    test('[cust-038] [cust-047] [cust-021] is returned with a cursor and the requested days', async () => {
      const { status, body } = await shop.get(payments);
      expect(status).toBe(200);
      expect(body).toEqual({
        data: [expect.objectContaining({ email: 'eva@example.test' })],
        pagination: { has_next: false, cursor: `2026-06-03T10:00:30.500Z|${conversionIdOf(paid.outcome_event_id)}` },
        meta: { ...june, profile_id: shop.profileId, exclusions: [] },
      });
    });

    test('[cust-001] [cust-002] contains the customer, the touchpoints, the revenue and the lifetime totals', async () => {
      expect((await shop.get(payments)).body.data).toEqual([
        {
          conversion_id: conversionIdOf(paid.outcome_event_id),
          customer_profile_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
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
      ]);
    });

    test('[cust-003] represents one conversion, so a customer may have several', async () => {
      const { data } = (await shop.get({ ...payments, date_from: '2026-05-01' })).body;
      expect(data.map(({ conversion_id }: ListedConversion) => conversion_id)).toEqual(
        [paid, first].map(({ outcome_event_id }) => conversionIdOf(outcome_event_id)),
      );
    });

    test('counts as one customer in the access log, even with several rows', async () => {
      const before = (await shop.accesses()).length;
      await shop.get({ ...payments, date_from: '2026-05-01' });
      const log = await shop.accesses();
      expect(log).toHaveLength(before + 1);
      expect(log[0]).toMatchObject({ operation: 'listCustomers', people: 1 });
    });
  });

  test('[cust-005] [cust-006] of an anonymous visitor has the visitor id, and no name or email', async () => {
    const shop = await openShop(world);
    const visitor = uuid();
    const { outcome_event_id } = await shop.event({
      occurred_at: '2026-06-10T10:00:00.000Z',
      properties: { value: '20', currency: 'USD' },
      user_traits: {},
    });
    await shop.run(sql`UPDATE outcomes SET visitor_id = ${visitor} WHERE id = ${outcome_event_id}`);
    await shop.touch({
      visitor_id: visitor,
      occurred_at: '2026-06-09T10:00:00.000Z',
      channel: 'organic_search',
      source: 'google',
    });
    await shop.attribute();
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

  test('[cust-009] [cust-014] [cust-015] without touchpoints has the channel unknown and zero touches', async () => {
    const shop = await openShop(world);
    await shop.event({
      occurred_at: '2026-06-10T10:00:00.000Z',
      properties: { value: 5, currency: 'USD' },
      user_traits: { external_id: 'walk-in' },
    });
    const before = await shop.get({ ...june, goal: 'payment_received' });
    await shop.attribute();
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
    // Conversions that are not attributed yet look the same.
    expect(before.body.data).toEqual(after.body.data);
  });

  test('[cust-011] [cust-012] has revenue by type, and null without an exchange rate', async () => {
    const shop = await openShop(world, { reportingCurrency: 'USD' });
    const user_traits = { external_id: 'eva' };
    const at = (day: number) => ({ occurred_at: `2026-06-0${day}T10:00:00.000Z`, user_traits });
    await shop.event({ ...at(1), event_name: 'lead_created', properties: { value: '300', currency: 'USD' } });
    await shop.event({ ...at(2), event_name: 'order_placed', properties: { value: '80.5', currency: 'USD' } });
    await shop.event({ ...at(3), properties: { value: '80.5', currency: 'USD' } });
    await shop.event({ ...at(4), properties: { value: '1000', currency: 'XPF' } });
    const one = async (goal: string) =>
      (await shop.get({ ...june, goal })).body.data.map((row: ListedConversion) => [
        row.revenue,
        row.revenue_type,
        row.total_revenue,
        row.conversion_count,
      ]);
    expect(await one('lead_created')).toEqual([[300, 'pipeline', 80.5, 4]]);
    expect(await one('order_placed')).toEqual([[80.5, 'gross', 80.5, 4]]);
    expect(await one('payment_received')).toEqual([
      [null, 'cash', 80.5, 4],
      [80.5, 'cash', 80.5, 4],
    ]);
    // Amounts in the old currency are null until they are converted.
    await shop.run(sql`UPDATE profiles SET reporting_currency = 'CLP'`);
    expect(await one('lead_created')).toEqual([[null, 'pipeline', null, 4]]);
  });

  test('[cust-017] [cust-018] without customer and visitor has totals of its own conversion, and only payments count as revenue', async () => {
    const shop = await openShop(world, { reportingCurrency: 'USD' });
    for (const event_name of ['payment_received', 'order_placed'])
      await shop.event({
        event_name,
        occurred_at: '2026-06-10T10:00:00.000Z',
        properties: { value: '20', currency: 'USD' },
        user_traits: {},
      });
    const of = async (goal: string) => (await shop.get({ ...june, goal })).body.data;
    const alone = { revenue: 20, conversion_count: 1 };
    expect(await of('payment_received')).toMatchObject([{ ...alone, total_revenue: 20 }]);
    expect(await of('order_placed')).toMatchObject([{ ...alone, total_revenue: 0 }]);
  });
});

test('[cust-004] [conv-001] the journey can be read by the id of a row, for customers and anonymous visitors', async () => {
  const shop = await openShop(world);
  const visitor = uuid();
  const pay = (user_traits: object) =>
    shop.event({ occurred_at: '2026-06-10T10:00:00.000Z', properties: { value: 1, currency: 'USD' }, user_traits });
  await pay({ external_id: 'eva' });
  const { outcome_event_id } = await pay({});
  await shop.run(sql`UPDATE outcomes SET visitor_id = ${visitor} WHERE id = ${outcome_event_id}`);
  const { rows } = await shop.all({ ...june, goal: 'payment_received' });
  expect(rows.map(({ customer_profile_id }) => customer_profile_id)).toContain(visitor);
  for (const { customer_profile_id, conversion_time } of rows) {
    const { status, body } = await shop.ask(`/api/v1/customers/${customer_profile_id}/journey`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data).toMatchObject({
      total_count: 1,
      events: [{ event_type: 'payment_received', event_time: conversion_time }],
    });
  }
});
