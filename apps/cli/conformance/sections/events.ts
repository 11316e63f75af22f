import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import { type Context, eventually } from '../context.ts';
import { dataOf, momentPattern, uuidPattern } from '../expect.ts';
import type { Delivery } from '../receiver.ts';
import { appProfile } from './authentication.ts';
import { delivered, subscribe } from './webhooks.ts';

/** An app's profile subscribed to outcome.recorded, and eight card payments of one customer, each sent in its own request. */
const recorded = (context: Context) =>
  context.shared('recorded outcomes', async () => {
    const { app, as, clock, unique } = context;
    const { id } = await appProfile(context);
    const token = await app.client(id);
    const { path } = await subscribe(token, context, { events: ['outcome.recorded'] });
    const silent = await subscribe(token, context, { events: ['export.failed'] });
    const key = as(await app.createKey(id));
    const customer = unique('recorded');
    const orders = Array.from({ length: 8 }, () => unique('order'));
    for (const [index, external_id] of orders.entries()) {
      const body = {
        external_id,
        amount: `${index + 1}.00`,
        currency: 'USD',
        paid_at: clock.at(-(60 - index) * 1_000),
      };
      dataOf(
        await key.post('payments/cardpay', {
          ...body,
          user_traits: { external_id: customer, email: `${customer}@example.com`, first_name: 'Rita' },
        }),
        202,
      );
    }
    await delivered(context, path, orders.length);
    return { id, key, path, silent, customer, orders };
  });

const eventsOf = (deliveries: readonly Delivery[]): Json[] => deliveries.map(({ body }) => JSON.parse(body));

export const events = checksOf('events', (check) => {
  check(
    'evnt-018 evnt-021 evnt-022 evnt-023 evnt-024 evnt-026 evnt-027',
    'delivers outcome.recorded with its envelope and data',
    async (context) => {
      const { id, path, customer, orders } = await recorded(context);
      for (const event of eventsOf(context.receiver.at(path))) {
        assert.deepEqual(Object.keys(event).sort(), [
          'app_id',
          'connection_id',
          'data',
          'id',
          'occurred_at',
          'provider',
          'type',
        ]);
        assert.match(event.id, uuidPattern);
        assert.deepEqual([event.type, event.provider, event.connection_id], ['outcome.recorded', 'service', null]);
        assert.deepEqual(Object.keys(event.data).sort(), [
          'contact',
          'contact_withheld',
          'customer_key',
          'external_id',
          'occurred_at',
          'outcome_type',
          'profile_id',
          'provider',
          'recorded_at',
          'value',
        ]);
        assert.deepEqual(
          [event.data.profile_id, event.data.provider, event.data.customer_key],
          [id, 'cardpay', customer],
        );
        assert.ok(orders.includes(event.data.external_id) && typeof event.data.value === 'number');
        assert.match(event.data.recorded_at, momentPattern);
      }
    },
    'app',
    'receiver',
  );

  check(
    'evnt-028 evnt-029 evnt-032',
    'returns the contact when the grant covers customers',
    async (context) => {
      const { path, customer } = await recorded(context);
      const [event] = eventsOf(context.receiver.at(path));
      assert.deepEqual(
        [event.data.contact.first_name, event.data.contact.email, event.data.contact_withheld],
        ['Rita', `${customer}@example.com`, false],
      );
    },
    'app',
    'receiver',
  );

  check(
    'evnt-030 evnt-040',
    'has one event with one id per outcome, however often it is reported',
    async (context) => {
      const { key, path, orders, customer } = await recorded(context);
      const body = { external_id: orders[0], amount: '1.00', currency: 'USD', user_traits: { external_id: customer } };
      dataOf(await key.post('payments/cardpay', body), 202);
      await sleep(2_000);
      const ids = (list: readonly Json[]) => [...new Set(list.map((event) => event.id))].sort();
      const replayed: Json[] = dataOf(await key.get('outcomes/recorded?limit=100'));
      assert.deepEqual(
        ids(replayed.filter(({ data }) => orders.includes(data.external_id))),
        ids(eventsOf(context.receiver.at(path))),
      );
      assert.equal(ids(eventsOf(context.receiver.at(path))).length, orders.length);
    },
    'app',
    'receiver',
  );

  check(
    'evnt-002 evnt-004 evnt-039 evnt-041',
    'replays outcomes page by page in a stable order',
    async (context) => {
      const { key, orders } = await recorded(context);
      const whole: Json[] = dataOf(await key.get('outcomes/recorded?limit=100'));
      const paged: Json[] = [];
      for (let cursor = ''; ; ) {
        const page = await key.get(`outcomes/recorded?limit=3${cursor}`);
        paged.push(...dataOf(page));
        if (!page.body.pagination.has_next) break;
        cursor = `&cursor=${encodeURIComponent(page.body.pagination.cursor)}`;
      }
      assert.deepEqual(
        paged.map(({ id }) => id),
        whole.map(({ id }) => id),
      );
      assert.ok(whole.length >= orders.length);
    },
    'app',
    'receiver',
  );

  check(
    'evnt-038',
    'delivers what was recorded at once in the order of the replay, also to a slow receiver',
    async (context) => {
      const { app, as, unique } = context;
      const profile = await app.createProfile(unique('Ordered'));
      await app.enable(profile);
      const { path } = await subscribe(await app.client(profile.id), context, { events: ['outcome.recorded'] });
      context.receiver.delay(path, 20);
      const key = as(await app.createKey(profile.id));
      const order = (index: number) => ({
        external_id: unique('order'),
        amount: `${index + 1}.00`,
        currency: 'USD',
        user_traits: { external_id: unique('customer') },
      });
      const orders = Array.from({ length: 30 }, (_, index) => order(index));
      await Promise.all(orders.map(async (body) => dataOf(await key.post('payments/cardpay', body), 202)));
      const arrived = eventsOf(await delivered(context, path, orders.length));
      const replayed: Json[] = dataOf(await key.get('outcomes/recorded?limit=100'));
      assert.deepEqual(
        arrived.map(({ id }) => id),
        replayed.map(({ id }) => id),
      );
    },
    'app',
    'receiver',
  );

  check(
    'evnt-042 evnt-043',
    'returns a cursor after which only new outcomes follow',
    async (context) => {
      const { key, customer } = await recorded(context);
      const { body } = await key.get('outcomes/recorded?limit=100');
      const { cursor, has_next } = body.pagination;
      assert.deepEqual([has_next, typeof cursor], [false, 'string']);
      const after = `outcomes/recorded?cursor=${encodeURIComponent(cursor)}`;
      assert.deepEqual(dataOf(await key.get(after)), []);
      const external_id = context.unique('newer');
      dataOf(
        await key.post('payments/cardpay', {
          external_id,
          amount: '9.00',
          currency: 'USD',
          user_traits: { external_id: customer },
        }),
        202,
      );
      await eventually(async () => {
        const news: Json[] = dataOf(await key.get(after));
        assert.deepEqual(
          news.map(({ data }) => data.external_id),
          [external_id],
        );
      });
    },
    'app',
    'receiver',
  );

  check(
    'evnt-007',
    'delivers nothing that a subscription does not name',
    async (context) => {
      const { silent } = await recorded(context);
      assert.deepEqual(context.receiver.at(silent.path), []);
    },
    'app',
    'receiver',
  );

  check(
    'evnt-045',
    'replays nothing of an erased customer',
    async (context) => {
      const { key } = await recorded(context);
      const customer = context.unique('forgotten');
      const external_id = context.unique('order');
      const user_traits = { external_id: customer, email: `${customer}@example.com` };
      dataOf(await key.post('payments/cardpay', { external_id, amount: '3.00', currency: 'USD', user_traits }), 202);
      const ofThem = async () =>
        (await key.get('outcomes/recorded?limit=100')).body.data.filter(
          ({ data }: Json) => data.external_id === external_id,
        );
      await eventually(async () => assert.equal((await ofThem()).length, 1));
      dataOf(await key.post('customers/erasures', { request_ref: customer, customer_key: customer }), 202);
      assert.deepEqual(await ofThem(), []);
    },
    'app',
    'receiver',
  );

  check(
    'evnt-033 evnt-034',
    'withholds the contact and a personal key when the grant does not cover customers',
    async (context) => {
      const { app, as, unique } = context;
      const profile = await app.createProfile(unique('Withheld'));
      await app.enable(profile, {}, ['analytics', 'attribution_write', 'connections']);
      const { path } = await subscribe(await app.client(profile.id), context, { events: ['outcome.recorded'] });
      const key = as(await app.createKey(profile.id));
      const email = `${unique('personal')}@example.com`;
      dataOf(
        await key.post('payments/cardpay', {
          external_id: unique('o'),
          amount: '3.00',
          currency: 'USD',
          user_traits: { external_id: email, email },
        }),
        202,
      );
      const [event] = eventsOf(await delivered(context, path));
      assert.deepEqual([event.data.contact, event.data.contact_withheld, event.data.customer_key], [null, true, null]);
    },
    'app',
    'receiver',
  );

  check(
    'evnt-036',
    'sends no outcome.recorded of a healthcare profile',
    async (context) => {
      const { app, as, unique } = context;
      const profile = await app.createProfile(unique('Ward'), { privacy_mode: 'hipaa' });
      await app.enable(profile, {}, ['analytics', 'attribution_write', 'connections']);
      const { path } = await subscribe(await app.client(profile.id), context, { events: ['outcome.recorded'] });
      const key = as(await app.createKey(profile.id));
      dataOf(
        await key.post('payments/cardpay', {
          external_id: unique('o'),
          amount: '3.00',
          currency: 'USD',
          user_traits: { external_id: 'p-1' },
        }),
        202,
      );
      await sleep(3_000);
      assert.deepEqual(context.receiver.at(path), []);
      assert.deepEqual(dataOf(await key.get('outcomes/recorded')), []);
    },
    'app',
    'receiver',
  );

  check(
    'evnt-044 lim-023',
    'still replays an outcome 89 days after its delivery',
    async (context) => {
      const { id } = await recorded(context);
      const { app, as, clock } = context;
      const count = async () => dataOf(await as(await app.createKey(id)).get('outcomes/recorded?limit=100')).length;
      const before = await count();
      await clock.advance({ days: 89 });
      assert.equal(await count(), before);
    },
    'app',
    'receiver',
    'clock',
  );
});
