import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import { dataOf, momentPattern, refusal, unknownId } from '../expect.ts';
import { appProfile } from './authentication.ts';
import { buyer, lead, payment, record } from './fixtures.ts';

const fields =
  'event_type event_name event_time url path channel source medium campaign value_amount currency device browser os country city is_synthetic';

export const journeys = checksOf('journeys', (check) => {
  check(
    'jour-001 jour-002 jour-003 jour-004 jour-011 jour-012',
    'shows an event with its seventeen fields',
    async (context) => {
      const { key } = await buyer(context);
      const { events } = dataOf(await context.api.get(`customers/journey?customer_key=${key}`));
      for (const event of events) {
        assert.deepEqual(Object.keys(event).sort(), fields.split(' ').sort());
        assert.match(event.event_time, momentPattern);
      }
      const paid = events.find((event: Json) => event.event_type === 'payment_received');
      assert.deepEqual([paid.event_name, paid.value_amount, paid.currency], ['payment_received', 120.5, 'USD']);
      const created = events.find((event: Json) => event.event_type === 'lead_created');
      assert.deepEqual([created.value_amount, created.currency], [null, null]);
    },
  );

  check('jour-005 jour-006 jour-016', 'returns no page for events outside the website', async (context) => {
    const { key } = await buyer(context);
    const { events } = dataOf(await context.api.get(`customers/journey?customer_key=${key}`));
    for (const { url, path, is_synthetic } of events) assert.deepEqual([url, path, is_synthetic], [null, null, true]);
  });

  check('jour-020 jour-021 jour-025', "returns a journey by the customer's id", async (context) => {
    const { id, key } = await buyer(context);
    const byId = dataOf(await context.api.get(`customers/${id}/journey`));
    const byKey = dataOf(await context.api.get(`customers/journey?customer_key=${key}`));
    assert.deepEqual(byId, byKey);
    assert.equal(byId.total_count, byId.events.length);
  });

  check(
    'jour-018 jour-023 jour-026 lim-002',
    'paginates a journey, oldest first, with its total count',
    async ({ api, unique, clock }) => {
      const key = unique('long');
      const events = Array.from({ length: 55 }, (_, index) =>
        lead(key, { occurred_at: clock.at(-(index + 1) * 60_000) }),
      );
      dataOf(await api.post('events', { events }), 202);
      const read = async (query: string) => dataOf(await api.get(`customers/journey?customer_key=${key}${query}`));
      const [first, rest] = [await read(''), await read('&offset=50')];
      assert.deepEqual([first.events.length, rest.events.length, first.total_count, rest.total_count], [50, 5, 55, 55]);
      const times = [...first.events, ...rest.events].map((event: Json) => event.event_time);
      assert.deepEqual(times, [...times].sort());
      assert.equal(new Set(times).size, 55);
    },
  );

  check('jour-027 jour-062', 'returns 200 and no events for an id of another profile', async (context) => {
    const { api } = context;
    assert.deepEqual(dataOf(await api.get(`customers/${unknownId}/journey`)), { events: [], total_count: 0 });
  });

  check(
    'jour-027 jour-044',
    "answers another profile's customer like one that does not exist",
    async (context) => {
      const { app, as } = context;
      const other = await appProfile(context);
      const stranger = as(await app.createKey(other.id));
      const { id, key } = await buyer(context);
      assert.deepEqual(dataOf(await stranger.get(`customers/${id}/journey`)), { events: [], total_count: 0 });
      refusal(await stranger.get(`customers/journey?customer_key=${key}`), 404, 'customer_not_found');
    },
    'app',
  );

  check(
    'jour-028 jour-030 jour-037 jour-038',
    'returns the customer to callers with customers:read',
    async (context) => {
      const { key, email, phone } = await buyer(context);
      const { body } = await context.api.get(`customers/journey?customer_key=${key}`);
      const { name, identifiers, counts, conversions } = body.meta.person;
      assert.equal(name, `Berta ${key}`);
      const values = identifiers.map((one: Json) => one.value);
      for (const value of [key, email, phone]) assert.ok(values.includes(value), `${value} is missing`);
      assert.deepEqual([counts.conversions, conversions.length], [2, 2]);
    },
  );

  check('jour-031 jour-032', 'returns a journey by e-mail address and by phone', async (context) => {
    const { email, phone, id } = await buyer(context);
    for (const query of [`email=${email}`, `phone=${encodeURIComponent(phone)}`]) {
      const { body } = await context.api.get(`customers/journey?${query}`);
      assert.equal(body.meta.person.customer_profile_id, id);
    }
    refusal(await context.api.get(`customers/journey?email=${email}&phone=1`), 400, 'invalid_parameter');
    refusal(await context.api.get('customers/journey'), 400, 'invalid_parameter');
  });

  check(
    'jour-029 jour-034 jour-035 jour-036',
    'returns the journey of a conversion by each of its identifiers',
    async (context) => {
      const { outcomeId, paymentKey, person } = await buyer(context);
      const { conversion_id } = person.conversions.find((one: Json) => one.conversion_type === 'payment_received');
      const answers = [];
      for (const handle of [outcomeId, conversion_id, paymentKey])
        answers.push(dataOf(await context.api.get(`conversions/${handle}/journey`)));
      assert.deepEqual(answers[1], answers[0]);
      assert.deepEqual(answers[2], answers[0]);
      assert.equal(answers[0].events.at(-1).event_type, 'payment_received');
    },
  );

  check('jour-042 jour-045', 'returns specific codes for unknown keys and conversions', async ({ api, unique }) => {
    refusal(await api.get(`customers/journey?customer_key=${unique('nobody')}`), 404, 'customer_not_found');
    refusal(await api.get(`conversions/${unique('nothing')}/journey`), 404, 'conversion_not_found');
  });

  check(
    'jour-033 jour-039 jour-040 jour-041',
    'shows touches without the customer to a key that lacks customers:read',
    async (context) => {
      const { app, as, unique } = context;
      const { id } = await appProfile(context);
      const writer = as(await app.createKey(id));
      const reader = as(await app.createKey(id, { scopes: ['conversions:read'] }));
      const key = unique('reduced');
      const email = `${key}@example.com`;
      const event = payment(key, { key: unique('o'), user_traits: { external_id: key, email, first_name: 'Zoe' } });
      const { outcome_event_id } = await record(writer, event);
      for (const path of [`customers/journey?customer_key=${key}`, `conversions/${outcome_event_id}/journey`]) {
        const answer = await reader.get(path);
        const { events } = dataOf(answer);
        assert.equal(answer.body.meta.conversion.customer_key, key);
        assert.equal('person' in answer.body.meta, false);
        for (const hidden of [email, 'Zoe', '"url"', '"device"', '"city"', '"session', '"value_amount"'])
          assert.equal(answer.text.includes(hidden), false, `${path} shows ${hidden}`);
        for (const one of events)
          for (const field of ['channel', 'ad_external_id', 'click_id_kind', 'join_method', 'credit', 'in_window'])
            assert.ok(field in one, field);
      }
      refusal(await reader.get(`customers/journey?email=${email}`), 403, 'insufficient_scope');
      refusal(await reader.get('customers/journey?phone=%2B56912345678'), 403, 'insufficient_scope');
    },
    'app',
  );

  check('jour-047 jour-049 jour-050 jour-051', 'returns no summary before one was created', async (context) => {
    const { id } = await buyer(context);
    const { summary, cached } = dataOf(await context.api.get(`customers/${id}/journey-summary`));
    assert.deepEqual([summary, cached], [null, false]);
  });
});
