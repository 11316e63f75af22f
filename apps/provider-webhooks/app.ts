import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressFinder } from '@tributary/collector/address-of.ts';
import { BodyReader } from '@tributary/collector/body-reader.ts';
import { createNodeServer, type NodeServer, sendJson } from '@tributary/collector/node-server.ts';
import type { LookUps } from '@tributary/postgres';
import type { Receivers, WebhookDelivery } from '@tributary/providers';
import { addressGroup, createRateLimiter, Leases, type RedisClient } from '@tributary/redis';
import type { Stream } from '@tributary/stream';
import { clockReadiness, type Log, type Metrics, readinessChecker } from '@tributary/telemetry';
import type { Sealer, Vault } from '@tributary/vault';
import { channelNames, limits } from '@tributary/vocabulary';
import { chargeAddress } from './rate-limits.ts';
import { tooLarge, unavailable, unknownProvider } from './refusals.ts';
import { SecretCache } from './secret-cache.ts';
import { storeWebhook, type WebhookStore } from './store-webhook.ts';

export interface ProviderWebhooksOptions {
  /** For the addresses of error pages. */
  readonly baseUrl: string;
  readonly lookUps: LookUps;
  readonly receivers: Receivers;
  readonly redis: RedisClient;
  readonly stream: Pick<Stream, 'webhooks' | 'unverifiedWebhooks' | 'isUp'>;
  readonly vault: Pick<Vault, 'open'>;
  readonly sealer: Pick<Sealer, 'sealBytes'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly now: () => Date;
  readonly clockSkewMs: () => number;
  readonly requestTimeoutMs: number;
  readonly trustedProxies?: readonly string[];
  readonly maxHeldBytes?: number;
  readonly isStopping: () => boolean;
}

const headersDeadlineMs = 5_000;
/** Enough for 2 MiB over a slow connection. */
const bodyDeadlineMs = 10_000;
/** Concurrent slow requests per address. Providers send from few addresses. */
const maxSlowPerAddress = 64;
/** Fill levels at which /readyz reports `degraded`, and not ready. */
const degradedFrom = 0.8;
const fullFrom = 0.98;

/** Receives provider webhooks and writes them to the stream. The worker parses and applies them. */
export function createProviderWebhooks(options: ProviderWebhooksOptions): NodeServer {
  const { redis, stream, metrics, receivers, isStopping } = options;
  const limiter = createRateLimiter({ redis, nowMs: Date.now, onFallback: metrics.countLocalLimits });
  const leases = new Leases({ limiter, nowMs: Date.now, onFallback: metrics.countLocalLimits });
  const secrets = new SecretCache(options.lookUps);
  const store: WebhookStore = { ...options, secrets, leases, limiter };
  const addressOf = addressFinder(options.trustedProxies ?? []);
  const bodies = new BodyReader({
    maxBytes: limits.providerWebhooks.bytes,
    maxHeldBytes: options.maxHeldBytes ?? 64 << 20,
    maxSlowPerAddress,
    deadlineMs: bodyDeadlineMs,
    refuseTooLarge: tooLarge,
    refuseForNow: () => unavailable('too many webhook bytes are in memory'),
  });

  const webhook = async (request: IncomingMessage, response: ServerResponse, name: string) => {
    const channel = channelNames.find((one) => one === name);
    const receiver = channel && receivers.of(channel);
    if (!receiver) throw unknownProvider();
    const group = addressGroup(addressOf(request));
    chargeAddress(leases, group, Number(request.headers['content-length'] ?? limits.providerWebhooks.bytes));
    // Checked before the body is read, because it could not be stored.
    if (!stream.isUp) throw unavailable('NATS is unavailable');
    const headers = headersOf(request);
    await bodies.read(request, group.own, (body) =>
      storeWebhook(store, { channel, receiver, delivery: { headers, body }, group }),
    );
    response.writeHead(204).end();
  };

  let fill = 0;
  const nats = async () => {
    fill = 0;
    if (!stream.isUp) throw new Error('NATS is unavailable.');
    fill = (await stream.webhooks.fill()).share;
    if (fill >= fullFrom) throw new Error('The stream is full.');
  };
  const clock = clockReadiness(options.clockSkewMs);
  const uses = {
    postgres: {
      check: () => options.lookUps.lookUp('SELECT 1'),
      without: 'Webhooks of accounts without a cached secret are stored unverified, up to a quota.',
    },
    redis: { check: () => limiter.look(), without: 'Each process counts rate limits and quotas locally.' },
    ...clock.uses,
  };
  const check = readinessChecker({ needs: { nats, ...clock.needs }, uses }, isStopping);
  const ready = async (response: ServerResponse) => {
    const { status, body } = await check();
    const isFilling = status === 200 && fill >= degradedFrom;
    const stream_fill = Math.round(fill * 1_000) / 1_000;
    sendJson(response, status, { ...body, ...(isFilling && { status: 'degraded' }), stream_fill }, jsonHeaders);
  };

  const serve = (request: IncomingMessage, response: ServerResponse): unknown => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const [, name] = /^\/hooks\/([a-z_]{1,40})$/.exec(path) ?? [];
    if (request.method === 'POST' && name) return webhook(request, response, name);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') return sendJson(response, 200, { status: 'ok' }, jsonHeaders);
    if (isRead && path === '/readyz') return ready(response);
    throw unknownProvider();
  };

  return createNodeServer({
    ...options,
    headersTimeoutMs: headersDeadlineMs,
    errorHeaders: jsonHeaders,
    serve,
    onResponse: (request, response, { errorCode, ms }) => {
      if (request.method === 'POST' && errorCode)
        metrics.countRefusedWebhook(channelLabel(request.url), response.statusCode);
      metrics.observe({ route: undefined, errorCode }, response.statusCode, ms);
    },
  });
}

/** The channel as a metric label. Unknown paths share one label, which limits the cardinality. */
const channelLabel = (url = ''): string => channelNames.find((name) => url.startsWith(`/hooks/${name}`)) ?? 'unknown';

const headersOf = ({ headers }: IncomingMessage): WebhookDelivery['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const jsonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
