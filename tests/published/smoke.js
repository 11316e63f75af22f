// A smoke test of the built SDK, run on each runtime with its own fetch, Web Crypto and streams. Arguments: the SDK's file, the API's URL, a key.
import { deepStrictEqual as equal, ok, rejects } from 'node:assert';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';

const [file, baseUrl, apiKey] = argv.slice(-3);
const { createClient, TributaryError, verifyWebhook, WebhookNotVerified } = await import(pathToFileURL(file).href);

let isLost = false;
const sent = [];
/** Loses the first response to each change, after the server has processed it. */
const lossyFetch = async (url, init) => {
  const answer = await fetch(url, init);
  if (init.method === 'GET') return answer;
  sent.push(init.headers['idempotency-key']);
  isLost = !isLost;
  if (!isLost) return answer;
  await answer.body?.cancel();
  throw new TypeError('the connection broke');
};
const client = createClient({ baseUrl, apiKey, fetch: lossyFetch, retry: { firstWaitMs: 1 } });

const { data: profile } = await client.readProfile();
equal(profile.reporting_currency, 'USD');

// A batch sent twice with one key is recorded once.
const run = crypto.randomUUID();
const eventOf = (name) => ({
  event_name: 'payment_received',
  idempotency_key: `${run}-${name}`,
  properties: { value: '19.90', currency: 'USD' },
  user_traits: { external_id: `${run}-${name}`, email: `${name}-${run}@example.com` },
});
const { data: batch } = await client.createEvent({
  body: { events: [...['ana', 'eva', 'ida'].map(eventOf), { event_name: '' }] },
});
equal([batch.summary.recorded, batch.summary.duplicate, batch.summary.rejected], [3, 0, 1]);
equal(sent.length, 2);
ok(sent[0] && sent[0] === sent[1]);

// Iterates over rows and over pages.
const day = (offset) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const query = { from: day(-1), to: day(1), limit: 2 };
const rows = [];
for await (const payment of client.listPayments.each({ query })) rows.push(payment.amount);
let pages = 0;
for await (const { data } of client.listPayments.pages({ query })) pages += data.length > 0 ? 1 : 0;
ok(rows.length >= 3 && rows.every((amount) => Number(amount) === 19.9));
equal(pages, Math.ceil(rows.length / 2));

// Errors have a code.
await rejects(client.listPayments({ query: { ...query, limit: 'many' } }), (error) => {
  ok(error instanceof TributaryError && error.is('invalid_parameter'));
  equal(error.fields.field, 'limit');
  return true;
});
await rejects(createClient({ baseUrl, apiKey: 'trib_live_wrong' }).readProfile(), (error) => error.is('unauthorized'));

// A webhook signed according to Standard Webhooks.
const secret = btoa('a secret of thirty-two characters');
const body = JSON.stringify({ id: 'evt_1', type: 'outcome.recorded', data: {} });
const timestamp = String(Math.floor(Date.now() / 1000));
const key = await crypto.subtle.importKey(
  'raw',
  new TextEncoder().encode(atob(secret)),
  { name: 'HMAC', hash: 'SHA-256' },
  false,
  ['sign'],
);
const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`msg_1.${timestamp}.${body}`));
const headers = new Headers({
  'webhook-id': 'msg_1',
  'webhook-timestamp': timestamp,
  'webhook-signature': `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`,
});
equal((await verifyWebhook(`whsec_${secret}`, headers, body)).id, 'evt_1');
await rejects(verifyWebhook(`whsec_${secret}`, headers, `${body} `), (error) => error instanceof WebhookNotVerified);

console.log('the whole story');
