import { createHmac } from 'node:crypto';
import { type WebhookWork, webhookHandler } from '@tributary/domain/advertising/connections/module.ts';
import { openLookUps } from '@tributary/postgres/look-ups.ts';
import { createProviders, createReceivers } from '@tributary/providers';
import { createRedis, redisReady } from '@tributary/redis';
import type { Stream } from '@tributary/stream';
import { createLog } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import {
  buildConnection,
  buildMarkedProfile,
  openFlakyLineTo,
  openTestkit,
  testOutcomeServices,
  testRing,
  testStreamVault,
  testVault,
} from '@tributary/testkit';
import { openFlakyProxy, openPrivateStream } from '@tributary/testkit/stream';
import { createOpener } from '@tributary/vault';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { createProviderWebhooks, type ProviderWebhooksOptions } from './app.ts';

const stripeSecret = 'whsec_of_the_test';

export interface Store {
  readonly profileId: string;
  readonly domain: string;
  readonly secret: string;
}

/** The process with private streams and interruptible connections to PostgreSQL and NATS. Tests start a worker on demand. */
export async function openWebhookServer() {
  const kit = await openTestkit();
  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  const ledgerLine = await openFlakyLineTo(kit.database.collectorUrl);
  const natsLine = await openFlakyProxy();
  const log = await openPrivateStream({ workMaxBytes: { webhooks: 24 << 20, 'unverified-webhooks': 8 << 20 } });
  await log.stream.ensureWorkStreams();
  const metrics = createMetrics();
  const lines: string[] = [];

  const open = async (changes: Partial<ProviderWebhooksOptions> = {}) => {
    const lookUps = openLookUps({ url: ledgerLine.url, poolSize: 2, onError: () => {} });
    const stream = await log.another({ url: natsLine.url });
    const app = createProviderWebhooks({
      baseUrl: 'https://tributary.test',
      lookUps,
      receivers: createReceivers({
        stripeWebhookSecret: stripeSecret,
        highlevelWebhookPublicKey: undefined,
        mercadoPagoWebhookSecret: undefined,
        fintocWebhookSecret: undefined,
      }),
      redis,
      stream,
      vault: testVault,
      sealer: testStreamVault,
      log: createLog('info', { write: (line) => void lines.push(line) }),
      metrics,
      now: () => kit.clock.now(),
      clockSkewMs: () => 0,
      requestTimeoutMs: 30_000,
      trustedProxies: ['127.0.0.1'],
      isStopping: () => false,
      ...changes,
    });
    const url = `http://127.0.0.1:${await app.listen('127.0.0.1', 0)}`;
    const close = async () => {
      await app.close();
      await lookUps.close();
    };
    return { url, close };
  };
  const first = await open();
  const dropped: string[] = [];
  const providers = createProviders({
    stripeClientId: 'ca_test',
    stripeClientSecret: 'sk_test',
    stripeWebhookSecret: stripeSecret,
    stripeApiUrl: 'http://127.0.0.1:1',
    stripeDialogUrl: 'http://127.0.0.1:1',
    shopifyApiUrl: 'http://127.0.0.1:1',
  } as Parameters<typeof createProviders>[0]);

  return {
    kit,
    log,
    lines,
    metrics,
    ledgerLine,
    natsLine,
    dropped,
    url: first.url,
    open,

    async connectStore(traits: { domain?: string; secret?: string } = {}): Promise<Store & { readonly id: string }> {
      const profile = await buildMarkedProfile(kit);
      const { domain = `${uuid()}.myshopify.com`, secret = `secret of ${uuid()}` } = traits;
      const credentials = { webhookSecret: secret, accessToken: null };
      const id = await buildConnection(kit, profile, { channel: 'store', externalId: domain, credentials });
      return { profileId: profile.id, domain, secret, id };
    },

    async connectStripe(account: string): Promise<string> {
      const profile = await buildMarkedProfile(kit);
      return buildConnection(kit, profile, { channel: 'payments_a', externalId: account });
    },

    /** Runs a worker on the streams until it is stopped. */
    async startWorker(changes: Partial<WebhookWork> = {}, stream: Stream = log.stream) {
      const handler = webhookHandler({
        postgres: kit.app,
        providers,
        vault: testVault,
        outcomes: testOutcomeServices,
        streamVault: createOpener(() => testRing.keys('stream')),
        refreshKeys: async () => {},
        countDropped: (channel) => void dropped.push(channel),
        now: () => kit.clock.now(),
        ...changes,
      });
      const options = { handler, pullMs: 1_000, maxWaitMs: 5, maxMessages: 4, backoffMs: [10] };
      const consumers = [await stream.webhooks.consume(options), await stream.unverifiedWebhooks.consume(options)];
      return { stop: () => Promise.all(consumers.map((one) => one.stop())) };
    },

    waiting: async () => [await log.stream.webhooks.waiting(), await log.stream.unverifiedWebhooks.waiting()],

    /** Numbers of the orders in a profile's ledger, including duplicates. */
    async orders(profileId: string): Promise<string[]> {
      const { rows } = await kit.app.forProfile(profileId).transaction((tx) =>
        sql<{ key: string }>`
          SELECT idempotency_key AS key FROM outcomes WHERE profile_id = ${profileId} ORDER BY 1`.execute(tx),
      );
      return rows.map(({ key }) => key.split(':')[1] ?? key);
    },

    async close() {
      natsLine.mend();
      ledgerLine.mend();
      await first.close();
      await log.destroy();
      await Promise.all([natsLine.close(), ledgerLine.close()]);
      redis.disconnect();
      await kit.close();
    },
  };
}

export const orderOf = (id: number, more: object = {}): string =>
  JSON.stringify({
    id,
    name: `#${id}`,
    currency: 'CLP',
    total_price: '19990',
    financial_status: 'paid',
    created_at: '2026-06-01T10:00:00-04:00',
    processed_at: '2026-06-01T10:00:05-04:00',
    email: `buyer-${id}@example.com`,
    ...more,
  });

/** A signed request of a store. */
export const signed = ({ domain, secret }: Store, body: string, more: Readonly<Record<string, string>> = {}) => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-shopify-topic': 'orders/paid',
    'x-shopify-shop-domain': domain,
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    ...more,
  },
  body,
});

export const signedByStripe = (body: string, at: Date) => {
  const second = Math.floor(at.getTime() / 1_000);
  const signature = createHmac('sha256', stripeSecret).update(`${second}.`).update(body).digest('hex');
  return { method: 'POST', headers: { 'stripe-signature': `t=${second},v1=${signature}` }, body };
};
