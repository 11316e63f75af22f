import { createHmac, sign } from 'node:crypto';
import type { Channel } from '@tributary/vocabulary';
import fc from 'fast-check';
import { hostileTexts } from '../hostile.ts';
import { documentsLike } from './documents.ts';
import { type ParserTarget, parserTarget } from './target.ts';
import { crmKeys, secrets } from './webhook-secrets.ts';
import type { ParserWorld } from './world.ts';

const hmac = (secret: string, ...parts: readonly (string | Buffer)[]) => {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac;
};

/** The signature format of Stripe and Fintoc: `t=…,v1=…`. */
function timestampedSignature(secret: string, body: Buffer, now: Date): string {
  const at = Math.floor(now.getTime() / 1000);
  return `t=${at},v1=${hmac(secret, `${at}.`, body).digest('hex')}`;
}

/** Mercado Pago signs the resource id, the request id and the time, but not the body. */
function mercadoPagoHeaders(body: Buffer, now: Date): Record<string, string> {
  const at = Math.floor(now.getTime() / 1000);
  const id = idIn(body);
  const manifest = `${id ? `id:${id.toLowerCase()};` : ''}request-id:r1;ts:${at};`;
  return { 'x-signature': `ts=${at},v1=${hmac(secrets.payments_b, manifest).digest('hex')}`, 'x-request-id': 'r1' };
}

function idIn(body: Buffer): string | undefined {
  try {
    const id: unknown = JSON.parse(body.toString('utf8')).data?.id;
    return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
  } catch {
    return undefined;
  }
}

/** Mutated webhooks of each provider, with valid signatures, sent to the API. */
export function webhookTargets(world: ParserWorld): ParserTarget[] {
  const { sandbox, now } = world;
  const { stripe, mercadoPago, fintoc, highlevel, shopify } = sandbox.book;
  const read = ({ body }: { readonly body: Uint8Array }): unknown => JSON.parse(Buffer.from(body).toString('utf8'));
  const [order] = shopify.orders;
  if (!order) throw new Error('The sandbox has no order.');
  shopify.refund(order, '1');
  const orderDocument = read(shopify.webhook({ order, topic: 'orders/updated', secret: 'x' })) as {
    refunds: readonly unknown[];
  };
  const orders = documentsLike({ ...orderDocument, financial_status: 'paid' });
  const refunds = documentsLike(orderDocument.refunds[0]);

  const target = <Input extends { readonly body: Buffer }>(
    channel: Channel,
    name: string,
    inputs: fc.Arbitrary<Input>,
    headersOf: (input: Input) => Record<string, string>,
  ) =>
    parserTarget<Input>({
      name: `${channel} ${name}`,
      inputs,
      async check(input) {
        const { status, fault } = await world.send({
          method: 'POST',
          url: `/hooks/${channel}`,
          headers: { 'content-type': 'application/json', ...headersOf(input) },
          body: input.body,
        });
        return fault ?? ([204, 401, 413, 422].includes(status) ? undefined : `the status is ${status}`);
      },
    });
  const bodies = (documents: fc.Arbitrary<Buffer>) => documents.map((body) => ({ body }));
  const signedStore = (topic: string, body: Buffer) => ({
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': world.shopDomain,
    'x-shopify-hmac-sha256': hmac(secrets.store, body).digest('base64'),
  });

  return [
    target(
      'payments_a',
      'webhook',
      bodies(
        documentsLike(
          read(stripe.webhook({ type: 'charge.succeeded' })),
          read(stripe.webhook({ type: 'account.application.deauthorized' })),
        ),
      ),
      ({ body }) => ({ 'stripe-signature': timestampedSignature(secrets.payments_a, body, now()) }),
    ),
    target(
      'payments_b',
      'webhook',
      bodies(documentsLike(read(mercadoPago.webhook({ type: 'payment', action: 'payment.updated' })))),
      ({ body }) => mercadoPagoHeaders(body, now()),
    ),
    target(
      'bank_link',
      'webhook',
      bodies(documentsLike(read(fintoc.webhook({ type: 'account.refresh_intent.succeeded', account: 'acc_current' })))),
      ({ body }) => ({ 'fintoc-signature': timestampedSignature(secrets.bank_link, body, now()) }),
    ),
    target(
      'crm_a',
      'webhook',
      bodies(
        documentsLike(
          read(highlevel.webhook({ type: 'OpportunityUpdate', locationId: 'locSantiago' })),
          read(highlevel.webhook({ type: 'UNINSTALL', locationId: 'locSantiago' })),
        ),
      ),
      ({ body }) => ({ 'x-ghl-signature': sign(null, body, crmKeys.privateKey).toString('base64') }),
    ),
    target('store', 'order', bodies(orders), ({ body }) => signedStore('orders/updated', body)),
    target('store', 'refund', bodies(refunds), ({ body }) => signedStore('refunds/create', body)),
    target(
      'store',
      'headers',
      fc.record({ body: orders, topic: headerTexts, domain: headerTexts, signature: headerTexts }),
      ({ topic, domain, signature }) => ({
        'x-shopify-topic': topic,
        'x-shopify-shop-domain': domain,
        'x-shopify-hmac-sha256': signature,
        'stripe-signature': signature,
      }),
    ),
  ];
}

/** Texts that Node allows in a header. */
const headerTexts = hostileTexts.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 4_000));
