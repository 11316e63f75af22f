import { type RouteId, routes } from '@tributary/contract';
import { bearerAuthenticator, CredentialFinder } from '@tributary/domain/access';
import type { Jobs } from '@tributary/jobs';
import type { Postgres } from '@tributary/postgres';
import { createRateLimiter, type RedisClient } from '@tributary/redis';
import { bindRoute, createMetrics, createServer, type Log, serveDocs, serveHealth } from '@tributary/runtime';
import type { Vault } from '@tributary/vault';
import type { FastifyInstance } from 'fastify';
import { handlers } from './routes.ts';

export interface ApiOptions {
  readonly baseUrl: string;
  readonly apiUrl?: string | undefined;
  readonly postgres: Postgres;
  readonly redis: RedisClient;
  readonly vault: Vault;
  readonly jobs: Jobs;
  readonly log: Log;
  readonly now: () => Date;
  readonly requestTimeoutMs: number;
  readonly trustedProxies?: readonly string[];
  readonly corsOrigins?: readonly string[];
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  readonly checkAnswers?: boolean;
  readonly isStopping?: () => boolean;
}

/** The whole API, ready to listen or to be asked in a test. */
export async function createApi(options: ApiOptions): Promise<FastifyInstance> {
  const { baseUrl, apiUrl, postgres, redis, vault, log, now } = options;
  const metrics = createMetrics();
  const limiter = createRateLimiter({ redis, nowMs: Date.now, onFallback: metrics.countLocalLimits });
  const fastify = await createServer({
    baseUrl,
    log,
    metrics,
    limiter,
    requestTimeoutMs: options.requestTimeoutMs,
    trustedProxies: options.trustedProxies ?? [],
    corsOrigins: options.corsOrigins ?? [],
    tls: options.tls,
  });
  serveHealth(
    fastify,
    { postgres: () => postgres.ping(), redis: () => redis.ping() },
    options.isStopping ?? (() => false),
  );
  serveDocs(fastify, { baseUrl });
  const bearer = bearerAuthenticator({ credentials: new CredentialFinder(postgres.unbound), isSwapWindowOpen: false });
  const binding = {
    fastify,
    authenticate: (presented: { authorization: string | undefined }, at: Date) => bearer(presented.authorization, at),
    postgres,
    limiter,
    vault,
    services: { baseUrl, apiUrl, jobs: options.jobs },
    baseUrl,
    now,
    checkAnswers: options.checkAnswers ?? false,
  };
  for (const id of Object.keys(routes) as RouteId[]) bindRoute(binding, routes[id], handlers[id]);
  return fastify;
}
