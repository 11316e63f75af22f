import { sequenceBatch } from '@tributary/domain/tenancy/events/module.ts';
import { createOutbound } from '@tributary/outbound';
import { verifyWebhook } from '@tributary/sdk';
import { processQueue } from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { startQueueWorker } from '@tributary/work';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { handlerOf, openShop, openWebhooks, startReceiver } from './webhooks.fixture.ts';

const { kit, api, deliver, handler, happen } = await openWebhooks();
const receiver = await startReceiver();
const ok: typeof receiver.answer = (_request, response) => void response.writeHead(204).end();
const status =
  (code: number, headers: Record<string, string> = {}): typeof receiver.answer =>
  (_request, response) =>
    void response.writeHead(code, headers).end('a body that nobody reads');
beforeEach(async () => {
  // Ignores what earlier tests left.
  await kit.owner.unbound.query(sql`DELETE FROM webhook_work`);
  receiver.received.length = 0;
  receiver.answer = ok;
});
const seconds = (count: number) => kit.clock.advance(count * 1_000);

describe('an event', () => {
  test('[hook-015] [hook-009] [hook-020] is posted with a valid signature, in log order, and stored as delivered', async () => {
    const shop = await openShop(kit, api);
    const { id, secret } = await shop.subscribe(receiver.url);
    const ids = await happen(shop.id, 3);
    await deliver();
    expect(receiver.events().map((event) => event.id)).toEqual(ids);
    const now = () => kit.clock.now();
    for (const { headers, body } of receiver.received) {
      const event = await verifyWebhook(secret, headers, body, { now });
      expect(event).toMatchObject({
        type: 'recompute.completed',
        provider: 'service',
        app_id: shop.appId,
        data: { profile_id: shop.id },
      });
      expect([headers['webhook-id'], headers['content-type'], headers['tributary-test']]).toEqual([
        event.id,
        'application/json',
        undefined,
      ]);
    }
    const [newest] = await shop.deliveries();
    expect(newest).toMatchObject({
      subscription_id: id,
      event_id: ids[2],
      status: 'delivered',
      is_test: false,
      next_attempt_at: null,
    });
    expect(newest.attempts).toEqual([
      { at: now().toISOString(), status_code: 204, fault: null, duration_ms: expect.any(Number) },
    ]);
    expect(newest.payload).toEqual(JSON.parse(receiver.received[2]?.body ?? ''));
    expect(await shop.show(id)).toMatchObject({ last_delivery_at: now().toISOString(), consecutive_failures: 0 });
    expect(await deliver()).toBe(0);
  });

  test('[hook-016] [hook-017] [evnt-007] goes to subscriptions whose lists both match, and [hook-018] to no other', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url, { events: ['connection.revoked'] });
    await shop.subscribe(receiver.url, { providers: ['messaging', 'email'] });
    const stranger = await openShop(kit, api);
    await stranger.subscribe(receiver.url);
    await happen(shop.id);
    await deliver();
    expect(receiver.received).toEqual([]);
  });

  test('[hook-019] is delivered after service was added to the providers, from then on', async () => {
    const shop = await openShop(kit, api);
    const { id } = await shop.subscribe(receiver.url, { providers: ['messaging'] });
    await happen(shop.id);
    await deliver();
    await shop.patch(id, { providers: ['messaging', 'service'] });
    const [later] = await happen(shop.id);
    await deliver();
    expect(receiver.events().map((event) => event.id)).toEqual([later]);
  });

  test('is sent by a worker once, and the result is stored only while the worker holds the lease', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url);
    const failures: unknown[] = [];
    const worker = startQueueWorker({
      system: kit.system,
      systemUrl: kit.database.systemUrl,
      handlers: { webhooks: handler },
      blame: () => 'work',
      onFailure: ({ error }) => failures.push(error),
    });
    const ids = await happen(shop.id, 30);
    await sequenceBatch(kit.system.unbound, kit.clock.now());
    const delivered = async () => (await shop.deliveries('&status=delivered')).length;
    await expect.poll(delivered).toBe(30);
    const left = () => kit.system.unbound.query(sql`SELECT FROM webhook_work`).then(({ rows }) => rows.length);
    await expect.poll(left).toBe(0);
    await worker.stop();
    expect(
      receiver
        .events()
        .map((event) => event.id)
        .sort(),
    ).toEqual(ids.sort());
    expect(failures).toEqual([]);
  });

  test('before the subscription was created is not delivered', async () => {
    const shop = await openShop(kit, api);
    await happen(shop.id, 2);
    await deliver();
    await shop.subscribe(receiver.url);
    await deliver();
    expect(receiver.received).toEqual([]);
  });
});

describe('a failed attempt', () => {
  test('[hook-021] [hook-022] is retried on schedule with the same id and bytes until it succeeds', async () => {
    const shop = await openShop(kit, api);
    const { id } = await shop.subscribe(receiver.url);
    receiver.answer = status(500);
    const [event] = await happen(shop.id);
    await deliver();
    expect(await shop.show(id)).toMatchObject({
      consecutive_failures: 1,
      failing_since: kit.clock.now().toISOString(),
    });
    seconds(4);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    seconds(1);
    await deliver();
    expect(receiver.received).toHaveLength(2);
    receiver.answer = ok;
    seconds(300);
    await deliver();
    const bodies = receiver.received.map(({ body }) => body);
    expect([bodies.length, new Set(bodies).size]).toEqual([3, 1]);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event, event, event]);
    const [delivery] = await shop.deliveries();
    expect(delivery.status).toBe('delivered');
    expect(delivery.attempts.map((one: { status_code: number }) => one.status_code)).toEqual([500, 500, 204]);
    expect(await shop.show(id)).toMatchObject({ consecutive_failures: 0, failing_since: null });
  });

  test('is retried when due, even while other deliveries of the subscription wait longer', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url);
    receiver.answer = status(500);
    const [patient] = await happen(shop.id);
    await deliver();
    seconds(5);
    await deliver();
    // After two attempts it waits for five minutes. After one attempt it waits for five seconds.
    const [hurried] = await happen(shop.id);
    await deliver();
    await deliver();
    const { rows } = await kit.owner.unbound.query(sql<{ due: Date }>`SELECT due_at AS due FROM webhook_work`);
    expect(rows).toEqual([{ due: new Date(kit.clock.now().getTime() + 5_000) }]);
    receiver.answer = ok;
    receiver.received.length = 0;
    seconds(5);
    await deliver();
    expect(receiver.events().map((event) => event.id)).toEqual([hurried]);
    seconds(295);
    await deliver();
    expect(receiver.events().map((event) => event.id)).toEqual([hurried, patient]);
  });

  test('is the last one after ten, over 75 hours', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url);
    receiver.answer = status(404);
    await happen(shop.id);
    const began = kit.clock.now().getTime();
    for (const wait of limits.webhooks.waitSeconds) {
      seconds(wait);
      await deliver();
    }
    expect(receiver.received).toHaveLength(10);
    expect(kit.clock.now().getTime() - began).toBe(272_105_000);
    const [delivery] = await shop.deliveries('&status=failed');
    expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
    seconds(100_000);
    await deliver();
    expect(receiver.received).toHaveLength(10);
  });

  test('waits as long as the receiver requests, like everything else for it', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url);
    receiver.answer = status(429, { 'retry-after': '120' });
    await happen(shop.id);
    await deliver();
    receiver.answer = ok;
    await happen(shop.id);
    seconds(119);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    seconds(1);
    await deliver();
    expect(receiver.received).toHaveLength(3);
  });

  test('[hook-014] includes a redirect, which is not followed', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url);
    receiver.answer = status(307, { location: `${receiver.url}/elsewhere` });
    await happen(shop.id);
    await deliver();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect((await shop.deliveries())[0]).toMatchObject({
      status: 'waiting',
      attempts: [{ status_code: 307, fault: 'http_status' }],
    });
  });

  test('[hook-013] includes a target whose address became private, and no connection is made', async () => {
    const shop = await openShop(kit, api);
    const { id } = await shop.subscribe(receiver.url);
    await happen(shop.id, 2);
    await deliver();
    expect(receiver.received).toHaveLength(2);
    await happen(shop.id);
    await kit.app
      .forProfile(shop.id)
      .transaction((tx) =>
        sql`UPDATE webhook_subscriptions SET url = 'https://rebound.example.com/' WHERE id = ${id}`.execute(tx),
      );
    await sequenceBatch(kit.system.unbound, kit.clock.now());
    let connections = 0;
    const guarded = createOutbound({
      timeoutMs: 1_000,
      resolver: { resolve4: async () => ['127.0.0.1'], resolve6: async () => [] },
      connect: async () => {
        connections += 1;
        throw new Error('connected');
      },
    });
    await processQueue(kit.system, 'webhooks', handlerOf(kit, guarded));
    expect((await shop.deliveries())[0]).toMatchObject({
      status: 'waiting',
      attempts: [{ status_code: null, fault: 'address_not_public' }],
    });
    expect(connections).toBe(0);
  });

  test('with 410 disables the subscription at once; after re-enabling it receives what happened meanwhile', async () => {
    const shop = await openShop(kit, api);
    const { id } = await shop.subscribe(receiver.url);
    receiver.answer = status(410);
    await happen(shop.id);
    await deliver();
    expect(await shop.show(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    receiver.answer = ok;
    const [missed] = await happen(shop.id);
    seconds(60);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    expect((await shop.call('POST', `/api/v1/webhooks/test/${id}`)).error.reason).toBe('subscription_disabled');
    await shop.patch(id, { status: 'active' });
    await deliver();
    expect(receiver.events().map((event) => event.id)).toContain(missed);
    expect(receiver.received).toHaveLength(3);
  });

  test('disables the subscription after five days without a success', async () => {
    const shop = await openShop(kit, api);
    const { id } = await shop.subscribe(receiver.url);
    receiver.answer = status(503);
    await happen(shop.id);
    await deliver();
    seconds(5 * 86_400 - 1);
    await deliver();
    expect(await shop.show(id)).toMatchObject({ status: 'active', consecutive_failures: 2 });
    await happen(shop.id);
    seconds(1);
    await deliver();
    expect(await shop.show(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  });

  test('many in a row pause the receiver: of a hundred waiting deliveries few are tried, then one at a time until it is back', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url);
    receiver.answer = (_request, response) => void response.destroy();
    await happen(shop.id, 100);
    await deliver();
    const tried = receiver.received.length;
    expect(tried).toBeLessThan(40);
    seconds(5);
    await deliver();
    expect(receiver.received.length).toBe(tried + 1);
    receiver.answer = ok;
    for (let count = 0; count < 3; count += 1) {
      seconds(310);
      await deliver();
    }
    expect(new Set(receiver.events().map((event) => event.id)).size).toBe(100);
    expect(await shop.deliveries('&status=waiting')).toEqual([]);
  });
});

test('a delivery that is set aside holds back no other of its profile, and is sent once it is retried', async () => {
  // The database's clock decides when a retry is due.
  seconds(Math.max(0, (Date.now() - kit.clock.now().getTime()) / 1_000) + 3_600);
  const shop = await openShop(kit, api);
  const { id } = await shop.subscribe(receiver.url);
  const [first, bad, last] = await happen(shop.id, 3);
  await sequenceBatch(kit.system.unbound, kit.clock.now());
  const { items } = await handler.load(id, 10, AbortSignal.timeout(10_000));
  const item = items.find(({ event }) => event?.id === bad);
  if (!item) throw new Error('The delivery is not due.');
  await kit.system.unbound.transaction((tx) => handler.park(tx, id, item));
  const statuses = async () => (await shop.deliveries()).map((one: { status: string }) => one.status).sort();
  expect(await statuses()).toEqual(['set_aside', 'waiting', 'waiting']);
  await deliver();
  expect(await statuses()).toEqual(['delivered', 'delivered', 'set_aside']);
  await kit.system.unbound.transaction((tx) => handler.unpark(tx, id, [item.id]));
  expect(await statuses()).toEqual(['delivered', 'delivered', 'waiting']);
  await deliver();
  expect(receiver.events().map((event) => event.id)).toEqual([first, last, bad]);
});

describe('a test and a replay', () => {
  test('[hook-008] [hook-009] a test event is sent, signed, marked as a test, and listed', async () => {
    const shop = await openShop(kit, api);
    const { id, secret } = await shop.subscribe(receiver.url, { events: ['connection.revoked', 'outcome.recorded'] });
    const sent = await shop.call('POST', `/api/v1/webhooks/test/${id}`);
    expect([sent.status, sent.data]).toEqual([
      202,
      expect.objectContaining({ event: 'connection.revoked', is_test: true, status: 'waiting' }),
    ]);
    await shop.call('POST', `/api/v1/webhooks/test/${id}`, { event: 'outcome.recorded' });
    expect((await shop.call('POST', `/api/v1/webhooks/test/${id}`, { event: 'message.received' })).error.field).toBe(
      'event',
    );
    await deliver();
    const now = () => kit.clock.now();
    for (const { headers, body } of receiver.received) {
      expect(headers['tributary-test']).toBe('true');
      await expect(verifyWebhook(secret, headers, body, { now })).resolves.toMatchObject({
        data: { profile_id: shop.id },
      });
    }
    expect(receiver.received).toHaveLength(2);
    const outcome = receiver.events().find(({ type }) => type === 'outcome.recorded');
    expect(outcome?.data).toMatchObject({ contact: { email: expect.any(String) }, contact_withheld: false });
    expect((await shop.deliveries())[0]).toMatchObject({ is_test: true, status: 'delivered' });
  });

  test('[hook-010] [hook-011] a replay sends the original bytes again, signed with both secrets of a rotation', async () => {
    const shop = await openShop(kit, api);
    const { id, secret } = await shop.subscribe(receiver.url);
    await happen(shop.id);
    await deliver();
    const [delivery] = await shop.deliveries();
    seconds(60);
    const { data: rotation } = await shop.call('POST', `/api/v1/webhooks/subscriptions/${id}/rotate-secret`);
    const again = await shop.call('POST', `/api/v1/webhooks/deliveries/${delivery.id}/replay`);
    expect([again.status, again.data.status]).toEqual([202, 'waiting']);
    await deliver();
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    const verify = (one: string) =>
      verifyWebhook(one, second?.headers ?? {}, second?.body ?? '', { now: () => kit.clock.now() });
    await expect(Promise.all([secret, rotation.secret].map(verify))).resolves.toHaveLength(2);
    expect((await shop.deliveries())[0].attempts).toHaveLength(2);
    await shop.call('DELETE', `/api/v1/webhooks/subscriptions/${id}`);
    expect(
      (await shop.call('POST', `/api/v1/webhooks/deliveries/${delivery.id}/replay`, undefined, shop.own.headers))
        .status,
    ).toBe(409);
  });
});
