import { type ApiOptions, createApi } from '@tributary/api/app.ts';
import { createClickHouse } from '@tributary/clickhouse';
import { registerApp } from '@tributary/domain/tenancy/credentials/module.ts';
import { dnsOpener } from '@tributary/domain/traffic/tracking/module.ts';
import { createOutbound } from '@tributary/outbound';
import { createRedis, redisReady } from '@tributary/redis';
import { createLog, type Metrics } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import { type AppRateTier, limits } from '@tributary/vocabulary';
import { createJobs } from '@tributary/work';
import type { FastifyInstance } from 'fastify';
import { testKeys } from './operation-deps.ts';
import { operatorOf } from './operator.ts';
import { appConnections, type Testkit } from './testkit.ts';

/** A response of the API, in this process or over HTTP. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: the body can have any shape; each test asserts the shape it expects.
  json(): any;
}

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly payload?: object | string;
}

export interface TestApi {
  readonly fastify: FastifyInstance;
  call(request: ApiCall): Promise<Answer>;
  readonly logLines: string[];
  readonly metrics: Pick<Metrics, 'text'>;
  /** Registers an app as the operator does, and returns its client id and secret. */
  registerApp(traits?: { rateTier?: AppRateTier }): Promise<TestApp>;
  close(): Promise<void>;
}

export interface TestApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Requests an app token, for one profile or for no profile. */
  token(profileId?: string, scope?: string): Promise<{ authorization: string }>;
}

const noResolver = { resolve4: async () => [], resolve6: async () => [] };
const noConnection = async () => {
  throw new Error('Tests reach nobody outside.');
};
const nowhere = createOutbound({ timeoutMs: 2_000, resolver: noResolver, connect: noConnection });

/** The API options of tests, except for the engines and the hosts that it may reach. */
export const testApiOptions = {
  ...testKeys,
  baseUrl: 'https://tributary.test',
  collectorUrl: 'https://collect.tributary.test',
  languageModel: { name: 'test-model', write: async () => 'Somebody came and bought.' },
  summariesPerDay: limits.journeySummary.defaultUnitsPerDay,
  isMailSetUp: true,
  webhookTargets: nowhere,
  // As long as tests wait for any condition: the sandbox answers slowly when the machine is busy.
  adPatienceMs: 40_000,
  clockSkewMs: () => 0,
  providers: { of: () => undefined },
  providerOutbound: nowhere,
  // No worker runs beside the API in tests, so waiting for attribution would only delay the response.
  attributionWaitMs: 0,
  tracing: undefined,
  trustedProxies: [],
  corsOrigins: [],
  tls: undefined,
  passwordMinLength: 10,
  sessionDays: 14,
  // Sessions that tests build are older than the test clock.
  sessionIdleMinutes: 60 * 24 * 3_650,
  isCookieSecure: true,
  swapWindowUntil: undefined,
  consoleDirectory: undefined,
  docsDirectory: undefined,
  checkAnswers: true,
  isStopping: () => false,
} as const satisfies Partial<ApiOptions>;

export type ApiChanges = Partial<
  Pick<
    ApiOptions,
    | 'postgres'
    | 'redis'
    | 'clickhouse'
    | 'outbound'
    | 'webhookTargets'
    | 'openDns'
    | 'providers'
    | 'adPatienceMs'
    | 'clockSkewMs'
    | 'providerOutbound'
    | 'baseUrl'
    | 'collectorUrl'
    | 'linkTokenKeys'
    | 'consoleDirectory'
    | 'docsDirectory'
    | 'tls'
    | 'languageModel'
    | 'summariesPerDay'
    | 'isMailSetUp'
    | 'attributionWaitMs'
    | 'tombstoneKey'
    | 'sessionIdleMinutes'
    | 'swapWindowUntil'
    | 'checkAnswers'
    | 'isStopping'
    | 'metrics'
  >
>;

/** The complete API on real engines. It reaches no outside host unless a test allows one in `changes`. */
export async function openApi(kit: Testkit, changes: ApiChanges = {}): Promise<TestApi> {
  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  const logLines: string[] = [];
  const metrics = createMetrics();
  const log = createLog('info', { write: (line) => void logLines.push(line) });
  const jobs = await createJobs(kit.database.appUrl, (error) => log.failure(undefined, error));
  const clickhouse = createClickHouse({ ...kit.clickhouse, database: kit.clickhouseDatabase });
  const fastify = await createApi({
    ...testApiOptions,
    postgres: kit.app,
    connections: appConnections,
    redis,
    clickhouse,
    outbound: nowhere,
    openDns: dnsOpener([closedAddress], 100),
    jobs,
    log,
    metrics,
    now: () => kit.clock.now(),
    requestTimeoutMs: 20_000,
    ...changes,
  });
  return {
    fastify,
    call: (request) => fastify.inject(request),
    logLines,
    metrics: changes.metrics ?? metrics,
    async registerApp(traits = {}) {
      const registration = {
        name: 'Test app',
        redirectUris: ['https://app.test/callback'],
        allowedReturnOrigins: [],
        rateTier: traits.rateTier ?? ('internal' as const),
      };
      const app = await registerApp(operatorOf(kit), registration);
      return {
        ...app,
        async token(profileId, scope) {
          const form = new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: app.clientId,
            client_secret: app.clientSecret,
          });
          if (profileId) form.set('profile_id', profileId);
          if (scope) form.set('scope', scope);
          const response = await fastify.inject({
            method: 'POST',
            url: '/oauth/token',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            payload: form.toString(),
            // A random address per request, so that tests do not use up each other's rate limit.
            remoteAddress: `198.51.100.${Math.floor(Math.random() * 250)}`,
          });
          if (response.statusCode !== 200) throw new Error(`no token: ${response.body}`);
          return { authorization: `Bearer ${response.json().access_token}` };
        },
      };
    },
    async close() {
      await fastify.close();
      await jobs.close();
      await clickhouse.close();
      redis.disconnect();
    },
  };
}

/** A port that nothing listens on. */
const closedAddress = '127.0.0.1:9';
