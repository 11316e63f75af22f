import type { Clock } from '@tributary/clock';
import type { Route } from '@tributary/contract';
import { findAdPlatforms } from '@tributary/domain/advertising/campaigns/module.ts';
import { tombstonesUnder } from '@tributary/domain/commerce/customers/module.ts';
import type { OutcomeServices } from '@tributary/domain/commerce/outcomes/module.ts';
import { paymentStandings } from '@tributary/domain/commerce/payments/module.ts';
import { visitorLinks } from '@tributary/domain/traffic/ingestion/module.ts';
import { type BodyLimits, bindRoute, createServer, serveHealth } from '@tributary/http';
import type { CallerOf, Context, Costs, Handles } from '@tributary/operations';
import { createRateLimiter, createRedis, redisReady } from '@tributary/redis';
import { createLog, type Tracing } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import type { FastifyInstance } from 'fastify';
import { openOperationDeps } from './operation-deps.ts';
import type { Testkit } from './testkit.ts';

/** Tombstones of erased customers, under a test key. */
export const testTombstones = tombstonesUnder(() => Buffer.alloc(32, 9));

/** The services of other modules that recording outcomes needs. */
export const testOutcomeServices: OutcomeServices = {
  tombstones: testTombstones,
  payments: paymentStandings,
  findAdPlatforms,
  visitors: visitorLinks,
};

export interface ServedRoute {
  readonly route: Route;
  readonly handler: (input: never, context: never) => Promise<{ status: number; body: unknown }>;
}

/** Pairs a declaration with its handler, both type-checked against each other, and with the services that the handler needs. */
export function served<const R extends Route, Services extends object = object>(
  route: R,
  handler: Handles<R, Services>,
  ...[services]: object extends Services ? [] : [Services]
): ServedRoute {
  const whole: Handles<R> = services
    ? (input, context) => handler(input, { ...context, ...services } as Context<CallerOf<R>> & Services)
    : (handler as Handles<R>);
  return { route, handler: whole as ServedRoute['handler'] };
}

export interface TestServer {
  readonly fastify: FastifyInstance;
  readonly logLines: string[];
  close(): Promise<void>;
}

/** The complete HTTP runtime on real engines, with routes that a test declares. */
export async function serve(
  kit: Pick<Testkit, 'app' | 'redisUrl' | 'redisPrefix'> & { readonly clock: Clock },
  routes: readonly ServedRoute[],
  options: {
    requestTimeoutMs?: number;
    maxBodyBytes?: number;
    bodies?: BodyLimits;
    headersTimeoutMs?: number;
    trustedProxies?: string[];
    corsOrigins?: string[];
    redisUrl?: string;
    /** For drills: `quiet` does not collect log lines, `unlimited` turns off the low limits that rate-limit tests need. */
    quiet?: boolean;
    unlimited?: boolean;
    tracing?: Tracing;
    costs?: Costs;
  } = {},
): Promise<TestServer> {
  const redis = createRedis({ url: options.redisUrl ?? kit.redisUrl, prefix: kit.redisPrefix });
  if (!options.redisUrl) await redisReady(redis);
  const logLines: string[] = [];
  const log = options.quiet ? createLog('silent') : createLog('info', { write: (line) => void logLines.push(line) });
  const metrics = createMetrics();
  const limiter = createRateLimiter({ redis, nowMs: Date.now, onFallback: metrics.countLocalLimits });
  const desk = openOperationDeps(kit, options.unlimited ? undefined : limiter);
  const fastify = await createServer({
    baseUrl: desk.baseUrl,
    log,
    metrics,
    limiter: desk.limiter,
    tracing: options.tracing,
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    trustedProxies: options.trustedProxies ?? [],
    corsOrigins: options.corsOrigins ?? [],
    ...(options.maxBodyBytes && { maxBodyBytes: options.maxBodyBytes }),
    ...(options.bodies && { bodies: options.bodies }),
    ...(options.headersTimeoutMs && { headersTimeoutMs: options.headersTimeoutMs }),
  });
  const uses = { redis: { check: () => limiter.look(), without: 'Limits are counted by each process.' } };
  serveHealth(fastify, { needs: { postgres: () => kit.app.ping() }, uses }, () => false);
  for (const { route, handler } of routes)
    bindRoute({ ...desk, fastify, ...(options.costs && { costs: options.costs }) }, route, handler);
  return {
    fastify,
    logLines,
    async close() {
      await fastify.close();
      redis.disconnect();
    },
  };
}
