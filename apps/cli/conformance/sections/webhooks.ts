import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { checksOf } from '../check.ts';
import type { Client, Json } from '../client.ts';
import { type Context, eventually } from '../context.ts';
import { dataOf, momentPattern, refusal, uuidPattern } from '../expect.ts';
import type { Delivery } from '../receiver.ts';
import { appProfile } from './authentication.ts';

/** A subscription of the receiver, at a path of its own. */
async function subscribe(api: Client, { receiver, unique }: Context, traits: object = {}) {
  const path = `/${unique('hook')}`;
  const wanted = { url: `${receiver.url}${path}`, events: ['recompute.completed'], providers: ['service'], ...traits };
  const subscription = dataOf(await api.post('webhooks/subscriptions', wanted), 201);
  return { path, id: subscription.id as string, secret: subscription.secret as string, subscription };
}

const delivered = (context: Context, path: string, count = 1) =>
  eventually(async () => {
    const deliveries = context.receiver.at(path);
    assert.ok(deliveries.length >= count, `${deliveries.length} of ${count} deliveries came.`);
    return deliveries;
  });

/** Whether a delivery carries a signature under the secret, by the rules of Standard Webhooks. */
function isSigned({ headers, body }: Delivery, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return (headers['webhook-signature'] ?? '').split(' ').includes(signature);
}

export const webhooks = checksOf('webhooks', (check) => {
  check(
    'hook-001 hook-002 hook-003',
    'makes a subscription and lists it',
    async (context) => {
      const { id, subscription } = await subscribe(context.api, context);
      assert.deepEqual([subscription.events, subscription.providers], [['recompute.completed'], ['service']]);
      const listed: Json[] = dataOf(await context.api.get('webhooks/subscriptions'));
      const found = listed.find((one) => one.id === id);
      assert.ok(found);
      assert.equal('secret' in found, false);
      dataOf(await context.api.delete(`webhooks/subscriptions/${id}`));
    },
    'receiver',
  );

  check(
    'hook-004 hook-005',
    'changes and removes a subscription',
    async (context) => {
      const { id } = await subscribe(context.api, context);
      const changed = dataOf(
        await context.api.patch(`webhooks/subscriptions/${id}`, { events: ['export.failed', 'export.completed'] }),
      );
      assert.deepEqual([...changed.events].sort(), ['export.completed', 'export.failed']);
      dataOf(await context.api.delete(`webhooks/subscriptions/${id}`));
      refusal(await context.api.patch(`webhooks/subscriptions/${id}`, { events: ['export.failed'] }), 404, 'not_found');
    },
    'receiver',
  );

  check(
    'hook-008 hook-009 hook-015 hook-020',
    'sends a made-up event that is signed like any other',
    async (context) => {
      const { id, path, secret } = await subscribe(context.api, context);
      dataOf(await context.api.post(`webhooks/test/${id}`), 202);
      const [delivery] = await delivered(context, path);
      assert.ok(delivery && isSigned(delivery, secret), 'The signature is wrong.');
      const event = JSON.parse(delivery.body);
      assert.deepEqual([event.id, event.type], [delivery.headers['webhook-id'], 'recompute.completed']);
      assert.equal(isSigned({ ...delivery, body: `${delivery.body} ` }, secret), false);
      dataOf(await context.api.delete(`webhooks/subscriptions/${id}`));
    },
    'receiver',
  );

  check(
    'hook-006 hook-007',
    'signs with the old and the new secret after a rotation',
    async (context) => {
      const { id, path, secret } = await subscribe(context.api, context);
      const rotated = dataOf(await context.api.post(`webhooks/subscriptions/${id}/rotate-secret`));
      assert.notEqual(rotated.secret, secret);
      dataOf(await context.api.post(`webhooks/test/${id}`), 202);
      const [delivery] = await delivered(context, path);
      assert.ok(delivery && isSigned(delivery, secret) && isSigned(delivery, rotated.secret));
      dataOf(await context.api.delete(`webhooks/subscriptions/${id}`));
    },
    'receiver',
  );

  check(
    'hook-010 hook-011',
    'sends a delivery again, the same to the byte',
    async (context) => {
      const { id, path, secret } = await subscribe(context.api, context);
      const sent = dataOf(await context.api.post(`webhooks/test/${id}`), 202);
      const [first] = await delivered(context, path);
      dataOf(await context.api.post(`webhooks/deliveries/${sent.id}/replay`), 202);
      const [, second] = await delivered(context, path, 2);
      assert.equal(second?.body, first?.body);
      assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
      assert.ok(second && isSigned(second, secret));
      dataOf(await context.api.delete(`webhooks/subscriptions/${id}`));
    },
    'receiver',
  );

  check(
    'hook-021 hook-014',
    'tries a failed delivery again under the same id, and follows no redirect',
    async (context) => {
      const { id, path } = await subscribe(context.api, context);
      context.receiver.answerNext(path, 302);
      dataOf(await context.api.post(`webhooks/test/${id}`), 202);
      const [first, second] = await delivered(context, path, 2);
      assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
      assert.deepEqual(context.receiver.at('/elsewhere'), []);
      dataOf(await context.api.delete(`webhooks/subscriptions/${id}`));
    },
    'receiver',
  );

  check('hook-012', 'refuses addresses that are not public or not https', async ({ api }) => {
    for (const url of [
      'https://10.0.0.1/',
      'https://192.168.1.1/',
      'https://169.254.169.254/latest/',
      'https://[::1]/',
      'https://0x0a000001/',
      'http://example.com/',
      'ftp://example.com/',
      'https://example.com:8443/',
    ]) {
      const answer = await api.post('webhooks/subscriptions', {
        url,
        events: ['recompute.completed'],
        providers: ['service'],
      });
      refusal(answer, 422, 'validation_error');
    }
  });

  check('evnt-007 hook-016', 'refuses lists without an event or provider, or with unknown ones', async ({ api }) => {
    const url = 'https://example.com/';
    for (const lists of [
      { events: [], providers: ['service'] },
      { events: ['recompute.completed'], providers: [] },
      { events: ['x.y'], providers: ['service'] },
      { events: ['recompute.completed'], providers: ['nobody'] },
    ])
      refusal(await api.post('webhooks/subscriptions', { url, ...lists }), 422, 'validation_error');
  });
});

/** An app's profile with a subscription to outcome.recorded, and eight card payments of one customer that came in one request each. */
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
    'names the contact where the grant covers people',
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
    'replays outcomes in an order that does not change, page by page',
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
    'evnt-042 evnt-043',
    'gives a cursor after which only new outcomes come',
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
    'evnt-007 hook-017',
    'delivers nothing that a subscription does not name',
    async (context) => {
      const { silent } = await recorded(context);
      assert.deepEqual(context.receiver.at(silent.path), []);
    },
    'app',
    'receiver',
  );

  check(
    'evnt-045 evnt-035',
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
    'withholds the contact, and a key that is personal, where the grant does not cover people',
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
    'has no outcome.recorded of a healthcare profile',
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
