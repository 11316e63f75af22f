import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { checksOf } from '../check.ts';
import type { Client, Json } from '../client.ts';
import { type Context, eventually } from '../context.ts';
import { dataOf, refusal } from '../expect.ts';
import type { Delivery } from '../receiver.ts';

/** A subscription to the receiver, on its own path. */
export async function subscribe(api: Client, { receiver, unique }: Context, traits: object = {}) {
  const path = `/${unique('hook')}`;
  const wanted = { url: `${receiver.url}${path}`, events: ['recompute.completed'], providers: ['service'], ...traits };
  const subscription = dataOf(await api.post('webhooks/subscriptions', wanted), 201);
  return { path, id: subscription.id as string, secret: subscription.secret as string, subscription };
}

export const delivered = (context: Context, path: string, count = 1) =>
  eventually(async () => {
    const deliveries = context.receiver.at(path);
    assert.ok(deliveries.length >= count, `${deliveries.length} of ${count} deliveries came.`);
    return deliveries;
  });

/** Whether a delivery has a valid signature under the secret, according to Standard Webhooks. */
function isSigned({ headers, body }: Delivery, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return (headers['webhook-signature'] ?? '').split(' ').includes(signature);
}

export const webhooks = checksOf('webhooks', (check) => {
  check(
    'hook-001 hook-002 hook-003',
    'creates a subscription and lists it',
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
    'sends a test event that is signed like any other',
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
    'resends a delivery byte for byte',
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
    'retries a failed delivery under the same id, and follows no redirect',
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

  check('', 'refuses lists without an event or provider, or with unknown ones', async ({ api }) => {
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
