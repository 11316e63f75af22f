import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { addressFinder } from '@tributary/collector/address-of.ts';
import { BodyReader } from '@tributary/collector/body-reader.ts';
import { Refusal, renderError } from '@tributary/operations/refusals.ts';
import type { LookUps } from '@tributary/postgres';
import type { Received, Receivers } from '@tributary/providers';
import { addressGroup, createRateLimiter, Leases, type RedisClient } from '@tributary/redis';
import type { Stream } from '@tributary/stream';
import { clockReadiness, type Log, type Metrics, readinessChecker } from '@tributary/telemetry';
import type { Sealer, Vault } from '@tributary/vault';
import { channelNames, limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { takeOfSender } from './budgets.ts';
import { notNow, tooLarge, unknownProvider } from './refusals.ts';
import { SecretCache } from './secret-cache.ts';
import { type Intake, takeWebhook } from './take-webhook.ts';

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

export interface ProviderWebhooks {
  readonly server: Server;
  listen(host: string, port: number): Promise<number>;
  close(): Promise<void>;
}

const headersDeadlineMs = 5_000;
/** For a body of 2 MiB over a slow line. */
const bodyDeadlineMs = 10_000;
/** Requests of one address whose bodies are late. A provider's servers share few addresses. */
const maxSlowPerAddress = 64;
/** From this part of its room on the stream is a matter for the operator; full, it refuses. */
const degradedFrom = 0.8;
const fullFrom = 0.98;

/** Takes webhooks of providers and puts them into the stream. They are parsed and applied by the worker. */
export function createProviderWebhooks(options: ProviderWebhooksOptions): ProviderWebhooks {
  const { redis, stream, log, metrics, receivers, isStopping } = options;
  const limiter = createRateLimiter({ redis, nowMs: Date.now, onFallback: metrics.countLocalLimits });
  const leases = new Leases({ limiter, nowMs: Date.now, onFallback: metrics.countLocalLimits });
  const secrets = new SecretCache(options.lookUps);
  const intake: Intake = { ...options, secrets, leases, limiter };
  const addressOf = addressFinder(options.trustedProxies ?? []);
  const bodies = new BodyReader({
    maxBytes: limits.providerWebhooks.bytes,
    maxHeldBytes: options.maxHeldBytes ?? 64 << 20,
    maxSlowPerAddress,
    deadlineMs: bodyDeadlineMs,
    refuseTooLarge: tooLarge,
    refuseForNow: () => notNow('too much is on its way to the stream'),
  });

  const webhook = async (request: IncomingMessage, response: ServerResponse, name: string) => {
    const channel = channelNames.find((one) => one === name);
    const receiver = channel && receivers.of(channel);
    if (!receiver) throw unknownProvider();
    const group = addressGroup(addressOf(request));
    takeOfSender(leases, group, Number(request.headers['content-length'] ?? limits.providerWebhooks.bytes));
    // Nothing could be kept, so nothing is read.
    if (!stream.isUp) throw notNow('NATS is away');
    const headers = headersOf(request);
    await bodies.read(request, group.own, (body) =>
      takeWebhook(intake, { channel, receiver, delivery: { headers, body }, group }),
    );
    response.writeHead(204).end();
  };

  let fill = 0;
  const nats = async () => {
    fill = 0;
    if (!stream.isUp) throw new Error('NATS is away.');
    fill = (await stream.webhooks.fill()).share;
    if (fill >= fullFrom) throw new Error('The stream is full.');
  };
  const clock = clockReadiness(options.clockSkewMs);
  const uses = {
    postgres: {
      check: () => options.lookUps.lookUp('SELECT 1'),
      without: 'Webhooks of accounts that were not seen lately are taken unverified, up to a quota.',
    },
    redis: { check: () => limiter.look(), without: 'Each process counts rate limits and quotas by itself.' },
    ...clock.uses,
  };
  const check = readinessChecker({ needs: { nats, ...clock.needs }, uses }, isStopping);
  const ready = async (response: ServerResponse) => {
    const { status, body } = await check();
    const isFilling = status === 200 && fill >= degradedFrom;
    const stream_fill = Math.round(fill * 1_000) / 1_000;
    sendJson(response, status, { ...body, ...(isFilling && { status: 'degraded' }), stream_fill });
  };

  const serve = (request: IncomingMessage, response: ServerResponse): unknown => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const [, name] = /^\/hooks\/([a-z_]{1,40})$/.exec(path) ?? [];
    if (request.method === 'POST' && name) return webhook(request, response, name);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') return sendJson(response, 200, { status: 'ok' });
    if (isRead && path === '/readyz') return ready(response);
    throw unknownProvider();
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    if (isStopping()) response.shouldKeepAlive = false;
    let errorCode: string | undefined;
    try {
      await serve(request, response);
    } catch (error) {
      const requestId = `req_${uuid()}`;
      if (!(error instanceof Refusal)) log.failure(undefined, error);
      const { status, code, body, headers } = renderError(error, requestId, options.baseUrl);
      errorCode = String(code);
      sendJson(response, status, body, { 'x-request-id': requestId, ...headers });
      // The rest of the body is not read: the connection ends with the answer.
      if (!request.complete) response.once('finish', () => request.destroy());
    }
    if (request.method === 'POST' && errorCode) metrics.countRefusedWebhook(labelOf(request.url), response.statusCode);
    metrics.observe({ route: undefined, errorCode }, response.statusCode, performance.now() - startedAt);
  };

  const server = createServer(
    {
      headersTimeout: Math.min(headersDeadlineMs, options.requestTimeoutMs),
      requestTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    (request, response) => void answer(request, response),
  );
  return {
    server,
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => resolve((server.address() as { port: number }).port));
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

/** A label of a metric must be one of few. */
const labelOf = (url = ''): string => channelNames.find((name) => url.startsWith(`/hooks/${name}`)) ?? 'unknown';

const headersOf = ({ headers }: IncomingMessage): Received['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return;
  const about = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, { ...about, 'x-content-type-options': 'nosniff', ...headers }).end(JSON.stringify(body));
}
