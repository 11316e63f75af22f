import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '@tributary/contract';
import * as collectorRoutes from '@tributary/contract/routes/collector.ts';
import { Refusal, rateHeaders, tooMany } from '@tributary/operations/refusals.ts';
import { chooseForm, isCurrent, packDocument } from '@tributary/pages/document.ts';
import type { LookUps } from '@tributary/postgres';
import type { ListenOptions } from '@tributary/postgres/listen.ts';
import { addressGroup, createRateLimiter, Leases, leasedOfAddress, type RedisClient } from '@tributary/redis';
import type { Stream } from '@tributary/stream';
import { clockReadiness, type Log, type Metrics, readinessChecker } from '@tributary/telemetry';
import { trackerScript } from '@tributary/tracker';
import type { Vault } from '@tributary/vault';
import { limits } from '@tributary/vocabulary';
import { type Intake, takeRequest } from './accept-visits.ts';
import { addressFinder } from './address-of.ts';
import { agentReader } from './agent-of.ts';
import { BodyReader } from './body-reader.ts';
import { DailyUse } from './daily-use.ts';
import { openPlaces } from './locate.ts';
import { createNodeServer, type NodeServer, sendJson } from './node-server.ts';
import { away, tooLarge } from './refusals.ts';
import { RefusedTally } from './refused-tally.ts';
import { TrackingKeys, trackingChannel } from './tracking-keys.ts';
import { VisitLog } from './visit-log.ts';

export interface CollectorOptions {
  /** Base of the URLs of error pages. */
  readonly baseUrl: string;
  readonly lookUps: LookUps;
  /** Listens for changes that the ledger announces on a channel. While it is not connected, keys are queried every few seconds. */
  readonly hearChanges: (channel: string, hearing: ListenOptions) => { close(): Promise<void> };
  readonly redis: RedisClient;
  readonly stream: Stream;
  /** Encrypts with the stream's keys. */
  readonly vault: Pick<Vault, 'seal'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly now: () => Date;
  readonly requestTimeoutMs: number;
  readonly requestsPerMinute: number;
  /** The share of a profile's daily quota that one address may use. */
  readonly addressShare: number;
  readonly trustedProxies?: readonly string[];
  readonly geoDatabaseFile?: string | undefined;
  readonly maxHeldBytes?: number;
  /** How far this machine's clock is ahead of PostgreSQL's, which `now` follows. */
  readonly clockSkewMs: () => number;
  readonly isStopping: () => boolean;
}

/** For the headers of a request, and again for its body. A browser on a slow line needs a second or two; the rest is tolerance. */
const deadlineMs = 5_000;
/** Concurrent slow bodies of one address. An office that shares an address has a few at a time. */
const maxSlowPerAddress = 32;

const script = await packDocument(trackerScript);

/** From this fill level on, /readyz reports `degraded`; */
const degradedFrom = 0.8;
/** from this one on it reports that visits are refused. */
const fullFrom = 0.98;

/**
 * Accepts visits from browsers and publishes them to the stream. It uses Node's own server, because for two routes a framework
 * would cost as much as the rest.
 */
export async function createCollector(options: CollectorOptions): Promise<NodeServer> {
  const { redis, stream, now, metrics, isStopping } = options;
  const visitLog = new VisitLog(stream);
  const use = new DailyUse(redis, now, options.addressShare);
  const refused = new RefusedTally(visitLog, now);
  const bodies = new BodyReader({
    maxBytes: limits.visitRequest.bytes,
    maxHeldBytes: options.maxHeldBytes ?? 32 << 20,
    maxSlowPerAddress,
    deadlineMs,
    refuseTooLarge: tooLarge,
    refuseForNow: () => away('too many visit bytes are in memory'),
  });
  const limiter = createRateLimiter({ redis, nowMs: Date.now });
  const leases = new Leases({ limiter, nowMs: Date.now, onFallback: metrics.countLocalLimits });
  const addressOf = addressFinder(options.trustedProxies ?? []);
  const keys = new TrackingKeys(options.lookUps);
  const changes = options.hearChanges(trackingChannel, {
    onMessage: (profileId) => keys.changed(profileId),
    onConnect: () => keys.hearing(),
    onLost: () => keys.notHearing(),
    // Until it is connected again, keys are queried every few seconds.
    onError: () => {},
  });
  const intake: Intake = {
    keys,
    use,
    refused,
    log: visitLog,
    vault: options.vault,
    placeOf: await openPlaces(options.geoDatabaseFile),
    agentOf: agentReader(),
    metrics,
    now,
  };

  const visits = async (request: IncomingMessage, response: ServerResponse) => {
    const address = addressOf(request);
    const group = addressGroup(address);
    // Before the body is read, so that a sender over its limit costs nothing more.
    const verdict = leasedOfAddress(leases, 'visits', group, options.requestsPerMinute);
    if (!verdict.allowed) throw tooMany(verdict);
    await bodies.read(request, group.own, (body) => takeRequest(intake, request, { address, group }, body));
    response.writeHead(204, { ...commonHeaders, ...rateHeaders(verdict) }).end();
  };
  const tracker = (request: IncomingMessage, response: ServerResponse) => {
    const form = chooseForm(script, request.headers['accept-encoding']);
    const { bytes, etag, encoding } = form;
    const headers = {
      ...commonHeaders,
      etag,
      'cache-control': 'public, max-age=3600',
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    };
    if (isCurrent(request.headers['if-none-match'], form)) return void response.writeHead(304, headers).end();
    const about = { 'content-type': 'text/javascript; charset=utf-8', 'content-length': bytes.length };
    response.writeHead(200, { ...headers, ...about }).end(request.method === 'HEAD' ? undefined : bytes);
  };
  const usedEngines = {
    postgres: {
      check: () => options.lookUps.lookUp('SELECT 1'),
      without: 'Keys of sites that were seen lately are known; others answer 503.',
    },
    redis: {
      check: () => limiter.look(),
      without: 'Each process counts rate limits and quotas by itself.',
    },
  };
  let fill = 0;
  // Without the visit stream, or with a full one, visits cannot be stored.
  const nats = async () => {
    fill = 0;
    if (!stream.isUp) throw new Error('NATS is unavailable.');
    fill = (await stream.fill()).share;
    if (fill >= fullFrom) throw new Error('The visit stream is full.');
    if (stream.isRefusing) throw new Error('The visit stream rejects messages.');
  };
  const clock = clockReadiness(options.clockSkewMs);
  const check = readinessChecker(
    { needs: { nats, ...clock.needs }, uses: { ...usedEngines, ...clock.uses } },
    isStopping,
  );
  const ready = async (_request: IncomingMessage, response: ServerResponse) => {
    const { status, body } = await check();
    const isFilling = status === 200 && fill >= degradedFrom;
    const log_fill = Math.round(fill * 1_000) / 1_000;
    sendJson(response, status, { ...body, ...(isFilling && { status: 'degraded' }), log_fill }, jsonHeaders);
  };
  const served: Readonly<Record<string, Served>> = {
    [`POST ${collectorRoutes.collectVisits.path}`]: { route: collectorRoutes.collectVisits, serve: visits },
    [`OPTIONS ${collectorRoutes.collectVisits.path}`]: {
      serve: (_, response) => response.writeHead(204, preflight).end(),
    },
    [`GET ${collectorRoutes.readTracker.path}`]: { route: collectorRoutes.readTracker, serve: tracker },
    'GET /healthz': { serve: (_, response) => sendJson(response, 200, { status: 'ok' }, jsonHeaders) },
    'GET /readyz': { serve: ready },
  };

  const find = (request: IncomingMessage): Partial<Served> => {
    const path = request.url?.split('?', 1)[0];
    // A HEAD is a GET whose body Node omits.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    return served[`${method} ${path}`] ?? {};
  };
  const { server, listen, close } = createNodeServer({
    ...options,
    headersTimeoutMs: deadlineMs,
    errorHeaders: jsonHeaders,
    serve: (request, response) => (find(request).serve ?? notFound)(request, response),
    onResponse: (request, response, { errorCode, ms }) =>
      metrics.observe({ route: find(request).route, errorCode }, response.statusCode, ms),
  });
  return {
    server,
    listen,
    async close() {
      await close();
      await Promise.all([use.close(), refused.close(), changes.close()]);
    },
  };
}

interface Served {
  readonly route?: Route;
  readonly serve: (request: IncomingMessage, response: ServerResponse) => unknown;
}

/** Browsers may send from any page: the tracking key, not the origin alone, decides what is accepted. */
const commonHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

const jsonHeaders = { ...commonHeaders, 'access-control-expose-headers': 'x-request-id, retry-after' } as const;

const preflight = {
  ...commonHeaders,
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '86400',
} as const;

function notFound(): never {
  throw new Refusal('not_found', 'There is nothing at this address.');
}
