import { createHmac } from 'node:crypto';
import type { Scope } from '@tributary/contract';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { asProvider, createFintoc, createManychat, createShopify } from '@tributary/providers';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import {
  auditEntries,
  buildApiKey,
  buildConnection,
  buildMarkedProfile,
  openTest,
  processQueue,
  startSandbox,
  testOutcomeServices,
  testVault,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { syncs } from '../syncs.queue.ts';

const sandbox = await startSandbox({ now: () => kit.clock.now(), market: { people: 250 } });
afterAll(() => sandbox.close());
const { settings, book } = sandbox;
const made = {
  bank_link: asProvider(
    createFintoc({
      secretKey: settings.FINTOC_SECRET_KEY,
      publicKey: settings.FINTOC_PUBLIC_KEY,
      apiUrl: settings.FINTOC_API_URL,
      widgetUrl: settings.FINTOC_WIDGET_URL,
      webhookSecret: settings.FINTOC_WEBHOOK_SECRET,
    }),
  ),
  chatbot: asProvider(createManychat({ apiUrl: settings.MANYCHAT_API_URL })),
  store: asProvider(createShopify({ apiUrl: settings.SHOPIFY_API_URL, apiVersion: '2026-10' })),
};
let isSetUp = true;
const providers = { of: (channel: string) => (isSetUp ? made[channel as keyof typeof made] : undefined) };
const providerOutbound = createOutbound({ timeoutMs: 5_000, policy: localDevelopmentTargets });
const metrics = createMetrics();
const { kit, api } = await openTest({ providers, providerOutbound, metrics });

const paymentsOf = async (profileId: string) =>
  (
    await kit.app.forProfile(profileId).transaction((tx) =>
      sql`SELECT external_id, source, connection_id, amount, refunded, occurred_at FROM outcomes
        WHERE profile_id = ${profileId}`.execute(tx),
    )
  ).rows;

async function shop(workspaceId?: string) {
  const profile = await buildMarkedProfile(kit, workspaceId ? { workspaceId } : {});
  const key = async (...scopes: Scope[]) =>
    (await buildApiKey(kit.app, profile.id, { appId: profile.appId, scopes })).headers;
  const full = await key('connections:read', 'connections:write', 'attribution:write');
  const ask = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    headers: Record<string, string> = full,
  ) => {
    const answer = await api.call({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, ...answer.json() };
  };
  const rows = async () =>
    (
      await kit.app
        .forProfile(profile.id)
        .transaction((tx) => sql<Record<string, unknown>>`SELECT * FROM connections ORDER BY id`.execute(tx))
    ).rows;
  return { profile, full, key, ask, rows };
}

test('a bank is linked through its widget, and each account becomes a connection [conn-034] [conn-035] [conn-036]', async () => {
  const { ask, rows, full, profile, key } = await shop();
  const start = '/integrations/bank-link/link/start';
  const started = await ask('POST', start);
  expect([started.status, started.data]).toMatchObject([200, { public_key: 'pk_test_sandbox' }]);
  const exchange_token = book.fintoc.endWidget(started.data.widget_token);
  const connect = (token: string, headers = full) =>
    ask('POST', '/integrations/bank-link/link/connect', { exchange_token: token }, headers);
  const wrong = await connect('li_never_given');
  expect([wrong.status, wrong.error]).toMatchObject([422, { code: 'validation_error', field: 'exchange_token' }]);
  expect(await rows()).toEqual([]);

  const once = { ...full, 'idempotency-key': 'link-1' };
  const linked = await connect(exchange_token, once);
  expect(linked.status).toBe(201);
  const ids = linked.data.map(({ id }: { id: string }) => id);
  expect((await ask('GET', '/connections?channel=bank_link')).data).toMatchObject([
    { id: ids[0], status: 'connected', account: { external_id: 'acc_current' }, sync: { state: 'queued' } },
    { id: ids[1], account: { external_id: 'acc_sight', name: 'Banco Sandbox Cuenta vista …4321' } },
  ]);
  // The token is used up, but a retry with the same idempotency key gets the same response.
  expect((await connect(exchange_token)).status).toBe(422);
  expect((await connect(exchange_token, once)).data).toEqual(linked.data);
  expect(JSON.stringify(await rows())).not.toContain('link_sandbox');
  expect(await auditEntries(kit, { workspaceId: profile.workspaceId })).toMatchObject([
    { action: 'bank_link.connected', detail: { connections: ids } },
  ]);

  // Another profile of the workspace cannot connect the same accounts.
  const sister = await shop(profile.workspaceId);
  const again = book.fintoc.endWidget((await ask('POST', start)).data.widget_token);
  const elsewhere = await sister.ask('POST', '/integrations/bank-link/link/connect', { exchange_token: again });
  expect([elsewhere.status, elsewhere.error.code]).toEqual([409, 'account_connected_elsewhere']);
  expect(await sister.rows()).toEqual([]);

  const reader = await key('connections:read');
  expect((await ask('POST', start, {}, reader)).error.code).toBe('insufficient_scope');
  isSetUp = false;
  expect((await ask('POST', start)).error.code).toBe('not_implemented');
  isSetUp = true;
  sandbox.say({ at: '/fintoc/v1/link_intents', answer: 'lost' });
  expect((await ask('POST', start)).error.code).toBe('provider_error');
});

test('a profile has one chatbot, which its API key creates and replaces [conn-038] [conn-039]', async () => {
  const { ask, rows } = await shop();
  const path = '/integrations/chatbot/connection';
  expect(await ask('GET', path)).toMatchObject({ status: 200, data: null });
  const wrong = await ask('POST', path, { api_key: '999:not-a-key' });
  expect([wrong.status, wrong.error]).toMatchObject([422, { code: 'validation_error', field: 'api_key' }]);
  const first = await ask('POST', path, { api_key: '123456:sandbox-key' });
  expect([first.status, first.data]).toMatchObject([201, { page: { external_id: '123456', name: 'Sandbox page' } }]);
  expect(await ask('GET', path)).toMatchObject({ status: 200, data: first.data });

  expect(first.data.external_request).toMatchObject({
    method: 'POST',
    url: expect.stringMatching(/\/api\/v1\/events$/),
  });
  // The key is checked while connecting; an invalid one is refused.
  const stores = { app: kit.app, system: kit.system, now: () => kit.clock.now(), providers, providerOutbound };
  const reader = syncs({ ...stores, vault: testVault, outcomes: testOutcomeServices, random: () => 0 });
  const check = async () => {
    await kit.owner.unbound.query(sql`UPDATE syncs SET due_at = '2020-01-01' WHERE connection_id = ${first.data.id}`);
    await processQueue(kit.system, 'syncs', reader, first.data.id);
    return (await ask('GET', `/connections/${first.data.id}`)).data;
  };
  expect(await check()).toMatchObject({ status: 'connected', sync: { state: 'idle', last_error: null } });
  book.manychat.keys.delete('123456:sandbox-key');
  expect(await check()).toMatchObject({
    status: 'reconnect_required',
    sync: { state: 'failed', last_error: 'Wrong token' },
  });

  book.manychat.keys.set('123456:renewed-key', { id: 123456, name: 'Renamed page' });
  const renewed = await ask('POST', path, { api_key: '123456:renewed-key' });
  expect([renewed.status, renewed.data]).toMatchObject([200, { id: first.data.id, page: { name: 'Renamed page' } }]);
  const other = await ask('POST', path, { api_key: '654321:sandbox-key' });
  expect([other.status, other.data.id === first.data.id]).toEqual([201, false]);
  expect((await ask('GET', path)).data).toEqual(other.data);
  expect((await rows()).map(({ status, credentials }) => [status, credentials === null])).toEqual([
    ['disconnected', true],
    ['connected', false],
  ]);
  expect((await ask('GET', '/connections?channel=chatbot')).data).toHaveLength(2);
});

test('stores are added, get a signing secret and are removed manually [conn-042] [conn-043] [conn-044] [conn-045]', async () => {
  const { ask, rows, profile } = await shop();
  const path = '/integrations/store/manual-connections';
  expect(await ask('GET', path)).toMatchObject({ data: [], pagination: { has_next: false, cursor: null } });
  for (const shop_domain of ['shop.example.com', 'x.myshopify.com.evil.test', 'http://a.myshopify.com']) {
    expect((await ask('POST', path, { shop_domain })).error).toMatchObject({ code: 'validation_error' });
  }
  const added = await ask('POST', path, { shop_domain: 'First-Shop.myshopify.com' });
  expect([added.status, added.data]).toMatchObject([
    201,
    { status: 'pending', shop_domain: 'first-shop.myshopify.com', has_signing_id: false, has_access_token: false },
  ]);
  const again = await ask('POST', path, { shop_domain: 'first-shop.myshopify.com', name: 'Mine' });
  expect([again.status, again.data]).toMatchObject([200, { id: added.data.id, name: 'Mine' }]);
  const second = await ask('POST', path, { shop_domain: 'second-shop.myshopify.com' });

  const one = `${path}/${added.data.id}`;
  const signed = await ask('PATCH', one, { webhook_signing_id: 'c0ffee-signing-id' });
  expect([signed.status, signed.data]).toMatchObject([200, { status: 'connected', has_signing_id: true }]);
  expect(await ask('PATCH', one, { webhook_signing_id: 'c0ffee-signing-id' })).toMatchObject({ data: signed.data });
  expect(JSON.stringify(await rows())).not.toContain('c0ffee');
  const pages = await ask('GET', `${path}?limit=1`);
  expect(pages).toMatchObject({ data: [signed.data], pagination: { has_next: true, cursor: added.data.id } });
  expect((await ask('GET', `${path}?cursor=${pages.pagination.cursor}`)).data).toMatchObject([{ id: second.data.id }]);

  const sister = await shop(profile.workspaceId);
  expect((await sister.ask('PATCH', one, { webhook_signing_id: 'another-signing-id' })).status).toBe(404);
  expect((await sister.ask('DELETE', one)).status).toBe(404);
  const refused = await sister.ask('POST', path, { shop_domain: 'first-shop.myshopify.com' });
  expect([refused.status, refused.error.code]).toEqual([409, 'account_connected_elsewhere']);

  expect(await ask('DELETE', one)).toMatchObject({ status: 200, data: { id: added.data.id, deleted: true } });
  expect((await ask('DELETE', one)).status).toBe(404);
  expect((await ask('GET', path)).data).toMatchObject([{ id: second.data.id }]);
  expect((await rows())[0]).toMatchObject({ status: 'disconnected', credentials: null });
  const { rows: events } = await kit.app
    .forProfile(profile.id)
    .transaction((tx) =>
      sql<{ type: string }>`SELECT type FROM outbox WHERE profile_id = ${profile.id} ORDER BY id`.execute(tx),
    );
  expect(events.map(({ type }) => type)).toEqual(['connection.connected', 'connection.revoked']);
});

test('records signed store webhooks once and ignores duplicates, forged webhooks and tests', async () => {
  const { ask, profile } = await shop();
  const path = '/integrations/store/manual-connections';
  const shop_domain = 'hooked.myshopify.com';
  const { data: store } = await ask('POST', path, { shop_domain });
  const secret = 'hooked-signing-id';
  const sendWebhook = async (topic: string, body: object | string, more: object = {}) => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': shop_domain,
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(payload).digest('base64'),
      ...more,
    };
    return (await api.call({ method: 'POST', url: '/hooks/store', headers, payload })).statusCode;
  };
  const order = {
    id: 5_551_112_223_334,
    name: '#1001',
    currency: 'CLP',
    total_price: '19990',
    financial_status: 'paid',
    created_at: '2025-12-01T10:00:00-03:00',
    processed_at: '2025-12-01T10:00:05-03:00',
    email: 'ana@example.com',
    customer: { id: 77, first_name: 'Ana', last_name: 'Soto' },
  };
  // No webhook is accepted until the store's secret is known.
  expect(await sendWebhook('orders/paid', order)).toBe(401);
  await ask('PATCH', `${path}/${store.id}`, { webhook_signing_id: secret });
  expect(await sendWebhook('orders/paid', order, { 'x-shopify-hmac-sha256': 'Zm9yZ2Vk' })).toBe(401);
  expect(await sendWebhook('orders/paid', order, { 'x-shopify-shop-domain': 'other.myshopify.com' })).toBe(401);
  expect(await sendWebhook('orders/create', { ...order, id: 1, financial_status: 'pending' })).toBe(204);
  expect(await sendWebhook('orders/paid', { ...order, id: 2, test: true })).toBe(204);
  expect(await sendWebhook('customers/create', { id: 3 })).toBe(204);
  // Content that cannot be parsed or stored is not acknowledged.
  expect(await sendWebhook('orders/paid', '{"id":')).toBe(422);
  expect(await sendWebhook('orders/paid', { ...order, id: 4, currency: 'QQQ' })).toBe(422);
  const refund = {
    order_id: order.id,
    created_at: '2025-12-03T09:00:00-03:00',
    transactions: [
      { id: 91, amount: '990', currency: 'CLP', kind: 'refund', status: 'success' },
      { id: 92, amount: '5000', currency: 'CLP', kind: 'refund', status: 'failure' },
    ],
  };
  expect(await sendWebhook('orders/paid', order)).toBe(204);
  expect(
    await sendWebhook('orders/updated', { ...order, financial_status: 'partially_refunded', refunds: [refund] }),
  ).toBe(204);
  expect(await sendWebhook('refunds/create', refund)).toBe(204);
  expect(await paymentsOf(profile.id)).toEqual([
    {
      external_id: String(order.id),
      source: 'store',
      connection_id: store.id,
      amount: '19990',
      refunded: '990',
      occurred_at: new Date('2025-12-01T13:00:05Z'),
    },
  ]);
  // Large orders are accepted; only bodies beyond any provider's size are refused and counted.
  const line = { title: 'Camiseta', price_set: { shop_money: { amount: '990', currency_code: 'CLP' } }, tax_lines: [] };
  const large = { ...order, id: 6, line_items: Array.from({ length: 4_500 }, (_, id) => ({ id, ...line })) };
  expect(JSON.stringify(large).length).toBeGreaterThan(500_000);
  expect(await sendWebhook('orders/paid', large)).toBe(204);
  expect(await paymentsOf(profile.id)).toContainEqual(expect.objectContaining({ external_id: '6', amount: '19990' }));
  expect(await sendWebhook('orders/paid', { ...order, id: 7, note: 'x'.repeat(2 << 20) })).toBe(413);
  const { text } = metrics;
  expect(await text()).toContain('tributary_provider_webhooks_refused_total{channel="store",status="413"} 1');
  await ask('DELETE', `${path}/${store.id}`);
  expect(await sendWebhook('orders/paid', { ...order, id: 5 })).toBe(401);
});

test('with a token a store’s orders are read, and money that a connected payment provider processed counts once', async () => {
  const { ask, profile } = await shop();
  const path = '/integrations/store/manual-connections';
  const [shop_domain, secret] = ['orders.myshopify.com', 'orders-signing-id'];
  book.shopify.tokens.set(shop_domain, 'shpat_orders');
  const { data: store } = await ask('POST', path, { shop_domain, access_token: 'shpat_orders' });
  const stores = { app: kit.app, system: kit.system, now: () => kit.clock.now(), providers, providerOutbound };
  const reader = syncs({ ...stores, vault: testVault, outcomes: testOutcomeServices, random: () => 0 });
  const read = async () => {
    await kit.owner.unbound.query(sql`UPDATE syncs SET due_at = '2020-01-01' WHERE connection_id = ${store.id}`);
    await processQueue(kit.system, 'syncs', reader, store.id);
    expect((await ask('GET', `/connections/${store.id}`)).data.sync).toMatchObject({ state: 'idle', last_error: null });
  };
  const recorded = async () => {
    const { rows } = await kit.app.forProfile(profile.id).transaction((tx) =>
      sql<{ id: string; amount: string; refunded: string }>`
        SELECT external_id AS id, amount, refunded FROM outcomes WHERE connection_id = ${store.id}`.execute(tx),
    );
    return new Map(rows.map(({ id, ...money }) => [id, money]));
  };
  const numberOf = (gid: string) => gid.split('/').at(-1) ?? '';
  const expected = () => {
    const paid = book.shopify.orders.filter(
      ({ test: isTest, displayFinancialStatus: status }) => !isTest && /PAID|REFUNDED/.test(status),
    );
    return new Map(
      paid.map(({ id, totalPriceSet, transactions }) => {
        const back = transactions.filter(({ kind, status }) => kind === 'REFUND' && status === 'SUCCESS');
        const refunded = back.reduce((sum, { amountSet }) => sum + Number(amountSet.shopMoney.amount), 0);
        return [numberOf(id), { amount: Number(totalPriceSet.shopMoney.amount), refunded }];
      }),
    );
  };
  const asNumbers = (all: Awaited<ReturnType<typeof recorded>>) =>
    new Map([...all].map(([id, { amount, refunded }]) => [id, { amount: Number(amount), refunded: Number(refunded) }]));
  await read();
  // Several pages, including test and unpaid orders.
  expect(expected().size).toBeGreaterThan(25);
  expect(book.shopify.orders.length).toBeGreaterThan(expected().size);
  expect(asNumbers(await recorded())).toEqual(expected());
  // Reads orders changed since, and a webhook of the same order adds no sale.
  kit.clock.advance(3_600_000);
  const order = book.shopify.order({
    shop: shop_domain,
    amount: '120.50',
    currency: 'USD',
    gateway: 'shopify_payments',
  });
  for (let part = 0; part < 25; part += 1) book.shopify.refund(order, '1.00');
  await read();
  expect((await recorded()).get(numberOf(order.id))).toEqual({ amount: '120.5', refunded: '25' });
  await ask('PATCH', `${path}/${store.id}`, { webhook_signing_id: secret });
  const sendWebhook = async (body: object) => {
    const payload = JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'x-shopify-topic': 'orders/updated',
      'x-shopify-shop-domain': shop_domain,
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(payload).digest('base64'),
    };
    return (await api.call({ method: 'POST', url: '/hooks/store', headers, payload })).statusCode;
  };
  const fields = { currency: 'USD', total_price: '120.50', financial_status: 'paid', created_at: order.createdAt };
  expect(await sendWebhook({ ...fields, id: numberOf(order.id) })).toBe(204);
  expect((await recorded()).size).toBe(expected().size);
  // From here on Mercado Pago reports its payments and refunds itself.
  await buildConnection(kit, profile, { channel: 'payments_b' });
  kit.clock.advance(3_600_000);
  const theirs = book.shopify.order({ shop: shop_domain, amount: '70.00', currency: 'USD', gateway: 'Mercado Pago' });
  book.shopify.refund(theirs, '7.00');
  const ours = book.shopify.order({ shop: shop_domain, amount: '80.00', currency: 'USD', gateway: 'shopify_payments' });
  await read();
  expect(await sendWebhook({ ...fields, id: '42', payment_gateway_names: ['mercado_pago'] })).toBe(204);
  const after = await recorded();
  expect([numberOf(ours.id), numberOf(theirs.id), '42'].map((id) => after.has(id))).toEqual([true, false, false]);
  const { rows: waiting } = await kit.app
    .forProfile(profile.id)
    .transaction((tx) => sql`SELECT 1 FROM payment_refunds WHERE payment_id IS NULL`.execute(tx));
  expect(waiting).toEqual([]);
});

test('the pixel is installed with the profile’s key and collector, and updated by a repeated request [conn-046]', async () => {
  const { ask, full } = await shop();
  const activate = (body?: object) => ask('POST', '/integrations/store/web-pixel/activate', body);
  expect((await activate()).error).toMatchObject({ code: 'invalid_state', reason: 'no_tracking_key' });
  const { data: tracking } = await ask('POST', '/tracking/keys', {}, full);
  expect((await activate()).error).toMatchObject({ code: 'invalid_state', reason: 'no_store' });
  const path = '/integrations/store/manual-connections';
  const shop_domain = 'sandbox-shop.myshopify.com';
  const { data: store } = await ask('POST', path, { shop_domain });
  expect((await activate()).error.code).toBe('connection_not_ready');
  await ask('POST', path, { shop_domain, access_token: 'shpat_sandbox_token' });
  await ask('PATCH', `${path}/${store.id}`, { webhook_signing_id: 'c0ffee-signing-id' });

  const installed = await activate();
  expect([installed.status, installed.data]).toEqual([
    200,
    { connection_id: store.id, pixel_id: 'gid://shopify/WebPixel/1' },
  ]);
  const pixel = book.shopify.pixels.get(shop_domain);
  expect(JSON.parse(pixel?.settings ?? '{}')).toMatchObject({ accountID: tracking.key });
  if (pixel) pixel.settings = '{}';
  expect((await activate({ connection_id: store.id })).data).toEqual(installed.data);
  expect(JSON.parse(book.shopify.pixels.get(shop_domain)?.settings ?? '{}')).toMatchObject({ accountID: tracking.key });

  book.shopify.tokens.set(shop_domain, 'shpat_replaced');
  expect((await activate()).error).toMatchObject({ code: 'connection_not_ready', reconnect_required: true });
  expect((await ask('GET', '/connections?channel=store')).data).toMatchObject([{ status: 'reconnect_required' }]);
});
