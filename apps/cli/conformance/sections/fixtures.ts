import assert from 'node:assert/strict';
import type { Client, Json } from '../client.ts';
import { type Context, eventually } from '../context.ts';
import { dataOf } from '../expect.ts';

/** Covers every date that a run writes to, even after it advanced the clock. */
export const days = ({ clock }: Pick<Context, 'clock'>) => `date_from=${clock.day(2)}&date_to=${clock.day(-1)}`;

export interface EventTraits {
  readonly event_name?: string;
  readonly value?: string;
  readonly currency?: string;
  readonly subject_ref?: string | undefined;
  readonly key?: string;
  readonly occurred_at?: string;
  readonly [field: string]: unknown;
}

/** A payment of a customer, as a server sends it. */
export const payment = (
  customer: string,
  { value = '50.00', currency = 'USD', key, subject_ref, ...rest }: EventTraits,
) => ({
  event_name: 'payment_received',
  idempotency_key: key,
  properties: { value, currency, ...(subject_ref !== undefined && { subject_ref }) },
  user_traits: { external_id: customer },
  ...rest,
});

export const lead = (customer: string, rest: object = {}) => ({
  event_name: 'lead_created',
  user_traits: { external_id: customer },
  ...rest,
});

/** Sends an event that must be accepted; resolves to its receipt. */
export const record = async (api: Client, event: object) => dataOf(await api.post('events', event), 202);

/** Thirteen leads of thirteen customers, enough for more than one page. */
export const leads = ({ shared }: Context) =>
  shared('leads', async ({ api, unique, clock }) => {
    const name = unique('goal').replaceAll('-', '_');
    dataOf(await api.post('goals/definitions', { name, conversion_key: name, event_names: [name] }), 201);
    const keys = Array.from({ length: 13 }, (_, index) => `${name}-${index}`);
    const events = keys.map((external_id, index) => ({
      event_name: name,
      idempotency_key: external_id,
      occurred_at: clock.at(-(20 - index) * 60_000),
      user_traits: {
        external_id,
        email: `${external_id}@example.com`,
        first_name: `Ana${index}`,
        last_name: name,
      },
    }));
    const { summary } = dataOf(await api.post('events', { events }), 202);
    return { goal: name, keys, summary };
  });

/** A customer with one payment and one lead. */
export const buyer = ({ shared }: Context) =>
  shared('buyer', async ({ api, unique }) => {
    const key = unique('buyer');
    const traits = {
      external_id: key,
      email: `${key}@example.com`,
      phone: `+569${String(Date.now()).slice(-8)}`,
      first_name: 'Berta',
      last_name: key,
    };
    const paymentKey = unique('order');
    const paid = await record(api, { ...payment(key, { key: paymentKey, value: '120.50' }), user_traits: traits });
    await record(api, lead(key));
    // A payment counts only after it has been matched against other sources.
    const person = await eventually(async () => {
      const { body } = await api.get(`customers/journey?customer_key=${key}`);
      assert.equal(body.meta.person.conversions.length, 2);
      return body.meta.person;
    });
    return { key, ...traits, paymentKey, outcomeId: paid.outcome_event_id, id: person.customer_profile_id, person };
  });

/** Collects all rows of a list over its pages. */
export async function allPages(api: Client, path: string, next: (cursor: string) => string) {
  const rows: Json[] = [];
  for (let query = ''; ; ) {
    const answer = await api.get(`${path}${query}`);
    rows.push(...dataOf(answer));
    const { has_next, cursor } = answer.body.pagination;
    if (!has_next) return rows;
    assert.ok(rows.length < 5_000, 'The list has no end.');
    query = next(cursor);
  }
}
