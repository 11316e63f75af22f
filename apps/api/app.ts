import type { LanguageModel } from '@tributary/ai-model';
import type { ClickHouse } from '@tributary/clickhouse';
import { type RouteId, routes } from '@tributary/contract';
import { findAdPlatforms } from '@tributary/domain/advertising/campaigns/module.ts';
import {
  adPlatformReadiness,
  bankLinkPage,
  findAccountNames,
  providerWebhooks,
} from '@tributary/domain/advertising/connections/module.ts';
import { handoffPages, reconnectLinks } from '@tributary/domain/advertising/handoffs/module.ts';
import { tombstonesUnder } from '@tributary/domain/commerce/customers/module.ts';
import {
  findCustomerTotals,
  goalReader,
  outcomesReadiness,
  RequestBatcher,
} from '@tributary/domain/commerce/outcomes/module.ts';
import { paymentStandings } from '@tributary/domain/commerce/payments/module.ts';
import type { UnexplainedChange } from '@tributary/domain/measurement/reports/module.ts';
import { removeMailsOf } from '@tributary/domain/notifications/report-mails/module.ts';
import { refusalAuditor, writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import {
  addOwner,
  assertPassword,
  createAccounts,
  createFirstAccountCheck,
  firstAccountEndpoints,
  inviteOwner,
  mcpAuthenticator,
  oauthEndpoints,
  sessionAuthenticator,
  sessionUse,
} from '@tributary/domain/tenancy/accounts/module.ts';
import {
  bearerAuthenticator,
  CredentialFinder,
  keyUse,
  sharedLinkAuthenticator,
} from '@tributary/domain/tenancy/credentials/module.ts';
import { visitorLinks } from '@tributary/domain/traffic/ingestion/module.ts';
import { type OpenDns, trackerReadiness } from '@tributary/domain/traffic/tracking/module.ts';
import { bindRoute, createServer, isFromOurPages, serveDocs, serveHealth } from '@tributary/http';
import {
  AttemptLimiter,
  type Authenticate,
  BodyThread,
  Costs,
  createPersonalDataGate,
  FairScheduler,
  requestSlots,
  takeAttempt,
} from '@tributary/operations';
import type { Outbound } from '@tributary/outbound';
import type { TestClock } from '@tributary/platform';
import type { Postgres } from '@tributary/postgres';
import type { Providers } from '@tributary/providers';
import { createGuesses, createRateLimiter, Leases, type RedisClient, type SharedLimiter } from '@tributary/redis';
import { clockReadiness, type Log, type Metrics, type Readiness, type Tracing } from '@tributary/telemetry';
import type { MasterKey, Vault } from '@tributary/vault';
import type { Jobs } from '@tributary/work';
import type { FastifyInstance } from 'fastify';
import { serveConsole } from './console.ts';
import { serveDocsSite } from './docs-site.ts';
import { serveMcp } from './mcp/serve.ts';
import { servePages } from './pages.ts';
import { assistantHandlers, handlers } from './routes.ts';
import { serveTestClock } from './test-clock.ts';

export interface ApiOptions {
  readonly baseUrl: string;
  readonly apiUrl?: string | undefined;
  readonly collectorUrl: string;
  readonly postgres: Postgres;
  /** Size of the PostgreSQL connection pool that requests share. */
  readonly connections: number;
  readonly redis: RedisClient;
  /** While it is down, the routes that read it answer 503 and /readyz reports `degraded`; the others work. */
  readonly clickhouse: ClickHouse;
  readonly outbound: Outbound;
  /** Checks webhook URLs; development allows some local hosts. */
  readonly webhookTargets: Pick<Outbound, 'checkTarget'>;
  readonly providers: Providers;
  /** Calls provider hosts; the sandbox's are local. */
  readonly providerOutbound: Pick<Outbound, 'request'>;
  readonly openDns: OpenDns;
  /** Writes journey summaries; without a model there are none. */
  readonly languageModel: LanguageModel | undefined;
  readonly summariesPerDay: number;
  /** Whether the operator configured a mail server. */
  readonly isMailSetUp: boolean;
  /** How long a change at an ad platform may take while a caller waits. */
  readonly adPatienceMs: number;
  /** How long a request that changes a payer waits for attribution to catch up. */
  readonly attributionWaitMs: number;
  readonly vault: Vault;
  /** Keys that sign sessions, newest first. */
  readonly sessionKeys: () => readonly MasterKey[];
  /** Keys that sign link tokens, newest first; an empty list disables link tokens. */
  readonly linkTokenKeys: () => readonly MasterKey[];
  /**
   * Hashes the identifiers of erased customers. It must never change: under another key an erased customer would no longer be
   * recognised.
   */
  readonly tombstoneKey: () => Buffer;
  readonly jobs: Jobs;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly now: () => Date;
  /** How far this machine's clock is ahead of PostgreSQL's, which `now` follows. */
  readonly clockSkewMs: () => number;
  /** Serves /test/clock; set only in test installations. */
  readonly testClock?: Pick<TestClock, 'now' | 'advance'> | undefined;
  readonly requestTimeoutMs: number;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  readonly passwordMinLength: number;
  readonly sessionDays: number;
  readonly sessionIdleMinutes: number;
  readonly isCookieSecure: boolean;
  /** Until then, keys created under an older attribution grant may still connect providers. */
  readonly swapWindowUntil: Date | undefined;
  /** The directory of the console's built files. */
  readonly consoleDirectory: string | undefined;
  /** The directory of the built documentation pages. */
  readonly docsDirectory: string | undefined;
  /** Validates every response against its schema before sending; an invalid one becomes a 500. For tests. */
  readonly checkAnswers: boolean;
  readonly isStopping: () => boolean;
}

/** The checks of /readyz. Only PostgreSQL is required: without it this process can serve nothing. */
const readinessOf = ({ postgres, clickhouse, clockSkewMs }: ApiOptions, limiter: SharedLimiter): Readiness => ({
  needs: { postgres: () => postgres.ping(), ...clockReadiness(clockSkewMs).needs },
  uses: {
    ...clockReadiness(clockSkewMs).uses,
    postgres_writes: {
      check: () => postgres.pingWrites(),
      without: 'PostgreSQL may only be read: whatever would change something answers 503.',
    },
    clickhouse: {
      check: () => clickhouse.ping(),
      without: 'Reports, journeys and tracking health answer 503. Outcomes are recorded and attributed later.',
    },
    ...Object.fromEntries(
      [...postgres.shards]
        .filter(([, shard]) => shard !== postgres.home)
        .map(([name, shard]) => [
          `ledger_${name}`,
          { check: () => shard.pingWrites(), without: `Whatever is kept on the ledger shard "${name}" answers 503.` },
        ]),
    ),
    redis: {
      check: () => limiter.look(),
      without: 'Each process counts rate limits by itself, and signing in is closed.',
    },
  },
});

/** Builds the whole API, ready to listen or to be called in a test. */
export async function createApi(options: ApiOptions): Promise<FastifyInstance> {
  const { baseUrl, apiUrl, postgres, redis, vault, log, metrics, now } = options;
  const limiter = createRateLimiter({ redis, nowMs: Date.now, onFallback: metrics.countLocalLimits });
  const guesses = createGuesses(redis);
  const fastify = await createServer({
    baseUrl,
    log,
    metrics,
    limiter,
    tracing: options.tracing,
    requestTimeoutMs: options.requestTimeoutMs,
    trustedProxies: options.trustedProxies,
    corsOrigins: options.corsOrigins,
    tls: options.tls,
  });
  serveHealth(fastify, readinessOf(options, limiter), options.isStopping);
  const costs = new Costs(new Leases({ limiter, nowMs: Date.now, onFallback: metrics.countLocalLimits }));
  serveDocs(fastify, { baseUrl, costs });
  if (options.testClock) serveTestClock(fastify, options.testClock);
  await serveDocsSite(fastify, options.docsDirectory);
  await serveConsole(fastify, options.consoleDirectory, createFirstAccountCheck(postgres));
  const isFirstOfMinute = async (subject: string) => (await limiter.take(`audit:${subject}`, 1)).allowed;
  const onError = (error: unknown) => log.failure(undefined, error);
  const sessionUses = sessionUse(postgres.home.unbound, onError);
  const accounts = createAccounts({
    baseUrl,
    postgres,
    keys: options.sessionKeys,
    passwordMinLength: options.passwordMinLength,
    sessionDays: options.sessionDays,
    idleMinutes: options.sessionIdleMinutes,
    noteUse: (sessionId, at) => sessionUses.note(sessionId, at),
    isCookieSecure: options.isCookieSecure,
    attempts: {
      take: (subject, place) => takeAttempt(guesses, subject, place),
      right: (subject, place) => guesses.right(subject, place),
    },
    audit: writeAudit,
    isFirstOfMinute,
  });
  const pages = { limiter, baseUrl, now };
  const ours = (headers: Headers) => isFromOurPages(Object.fromEntries(headers), baseUrl);
  servePages(fastify, pages, oauthEndpoints({ baseUrl, postgres, accounts, now, isFromOurPages: ours }));
  servePages(fastify, pages, firstAccountEndpoints({ postgres, accounts, audit: writeAudit, isFromOurPages: ours }));
  const tombstones = tombstonesUnder(options.tombstoneKey);
  const outcomes = { tombstones, payments: paymentStandings, findAdPlatforms, visitors: visitorLinks };
  servePages(fastify, pages, providerWebhooks({ ...options, outcomes }));
  servePages(fastify, pages, [bankLinkPage(options)]);
  servePages(fastify, pages, handoffPages({ ...options, audit: writeAudit, onError }));
  const keyUses = keyUse(postgres.allShards, onError);
  const bearer = bearerAuthenticator({
    credentials: new CredentialFinder(postgres.allShards),
    isSwapWindowOpen: (at) => options.swapWindowUntil !== undefined && at < options.swapWindowUntil,
    onKeyUsed: (keyId, at) => keyUses.note(keyId, at),
  });
  const mcp = mcpAuthenticator(postgres);
  const sharedLink = sharedLinkAuthenticator(postgres.allShards);
  const session = sessionAuthenticator(postgres, accounts);
  // A cookie is sent automatically, so it counts only if the request has no Authorization header.
  const authenticate: Authenticate = async (presented, at) =>
    presented.authorization === undefined
      ? session(presented, at)
      : ((await bearer(presented.authorization, at)) ??
        (await sharedLink(presented.authorization, at)) ??
        mcp(presented.authorization, at));
  const bodies = new BodyThread();
  fastify.addHook('onClose', () => bodies.close());
  const binding = {
    fastify,
    bodies,
    costs,
    authenticate,
    door: new AttemptLimiter(),
    postgres,
    limiter,
    vault,
    gate: createPersonalDataGate(postgres),
    scheduler: new FairScheduler(requestSlots(options.connections)),
    services: {
      baseUrl,
      apiUrl,
      collectorUrl: options.collectorUrl.replace(/\/+$/, ''),
      jobs: options.jobs,
      accounts,
      addOwner,
      inviteOwner,
      removeReportMailsOf: removeMailsOf,
      assertPassword: assertPassword.bind(undefined, accounts),
      createReconnectUrl: reconnectLinks({ ...options, audit: writeAudit }),
      readiness: [outcomesReadiness, trackerReadiness, adPlatformReadiness],
      clickhouse: options.clickhouse,
      tellUnexplained(change: UnexplainedChange) {
        metrics.countUnexplained();
        log.note(undefined, 'a change that its causes do not explain', change);
      },
      outbound: options.outbound,
      webhookTargets: options.webhookTargets,
      providers: options.providers,
      providerOutbound: options.providerOutbound,
      openDns: options.openDns,
      ...outcomes,
      linkTokenKeys: options.linkTokenKeys,
      vault,
      languageModel: options.languageModel,
      summariesPerDay: options.summariesPerDay,
      isMailSetUp: options.isMailSetUp,
      adPatienceMs: options.adPatienceMs,
      clock: now,
      attributionWaitMs: options.attributionWaitMs,
      findAccountNames,
      findCustomerTotals,
      goals: goalReader,
      gathering: new RequestBatcher(),
    },
    baseUrl,
    now,
    audit: writeAudit,
    auditRefusal: refusalAuditor(postgres, isFirstOfMinute),
    checkAnswers: options.checkAnswers,
  };
  for (const id of Object.keys(routes) as RouteId[]) bindRoute(binding, routes[id], handlers[id]);
  serveMcp({
    binding,
    handlers: { ...handlers, ...assistantHandlers },
    corsOrigins: options.corsOrigins,
    onFailure: onError,
  });
  return fastify;
}
